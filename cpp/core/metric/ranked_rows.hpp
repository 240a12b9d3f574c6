#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plboost {

// Rows of equal score, which no threshold can tell apart.
struct TiedRows {
  double positive = 0.0;  // weight of the targets 1
  double negative = 0.0;  // and of the targets 0
};

// From the largest score to the smallest.
std::vector<TiedRows> ranked_rows(std::span<const double> scores, std::span<const double> targets,
                                  std::span<const double> weights);

}  // namespace plboost
