#pragma once

#include <cstddef>
#include <span>

namespace plboost {

// The mean of error(row), rows weighing what `weights` says; empty: all 1.
template <typename Error>
double weighted_mean(std::size_t n_rows, std::span<const double> weights, Error&& error) {
  double total = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (weight == 0.0) continue;
    total += weight;
    sum += weight * error(i);
  }
  return sum / total;
}

}  // namespace plboost
