#pragma once

#include <cstddef>
#include <span>

namespace plboost {

// Rows that a scale is learned from: within some percent will do, and costs little beside a tree.
constexpr std::size_t kScaleRows = 8192;

// How large the residuals are that are not 0 up to rounding: the weighted quantile of |target -
// score| at `level`, of the first kScaleRows rows, which lie in random order; 1 where all are 0.
// weights may be empty: all 1.
double residual_scale(std::span<const double> targets, std::span<const double> weights,
                      std::span<const double> scores, double level);

}  // namespace plboost
