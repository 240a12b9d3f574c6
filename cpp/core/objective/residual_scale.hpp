#pragma once

#include <span>

namespace plboost {

// How large the residuals are that are not 0: the weighted quantile of |target - score| at `level`,
// of the first few thousand rows, which lie in random order; 1 where all are 0. weights may be
// empty: all 1.
double residual_scale(std::span<const double> targets, std::span<const double> weights,
                      std::span<const double> scores, double level);

}  // namespace plboost
