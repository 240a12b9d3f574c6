#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "core/kernels/kernels.hpp"

namespace plboost {

// The hessian of a row that would ask for a longer step is raised. Where a class is rare p q is
// next to nothing, and a leaf that holds rows of it alone would move by hundreds.
inline double hessian_for_steps(double hessian, double gradient) {
  constexpr double kLongestStep = 8.0;  // of log-odds: from 2 to 98 %
  return std::max(hessian, std::abs(gradient) / kLongestStep);
}

// Calls row(i, p, q) for the rows [begin, end): the probabilities of class 1 and of class 0. Both
// are accurate however small they are; 1 - p would round to 0 beyond a score of 37.
template <typename Row>
void for_each_probability(std::span<const double> scores, std::size_t begin, std::size_t end,
                          Row&& row) {
  std::array<double, 512> decayed;
  for (std::size_t from = begin; from < end; from += decayed.size()) {
    const std::size_t n = std::min(decayed.size(), end - from);
    kernels().decay(scores.data() + from, n, decayed.data());
    for (std::size_t i = from; i < from + n; ++i) {
      const double large = 1.0 / (1.0 + decayed[i - from]);
      const double small = decayed[i - from] * large;
      const bool likely = scores[i] >= 0.0;
      row(i, likely ? large : small, likely ? small : large);
    }
  }
}

}  // namespace plboost
