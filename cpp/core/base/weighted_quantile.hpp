#pragma once

#include <span>

namespace plboost {

struct WeightedValue {
  double value;
  double weight;  // positive
};

// The smallest value that has at least `level` of the weight up to and including it; where it has
// exactly that, the middle between it and the next one, so that a weight of 2 is a value twice.
// Reorders the values. 0 where there are none.
double weighted_quantile(std::span<WeightedValue> values, double level);

}  // namespace plboost
