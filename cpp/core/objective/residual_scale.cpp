#include "core/objective/residual_scale.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/weighted_quantile.hpp"

namespace plboost {

double residual_scale(std::span<const double> targets, std::span<const double> weights,
                      std::span<const double> scores, double level) {
  std::vector<WeightedValue> sizes;
  const std::size_t n = std::min(targets.size(), kScaleRows);
  sizes.reserve(n);
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(targets[i] - scores[i]));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::abs(targets[i] - scores[i]);
    if (size > 1e-12 * largest) sizes.push_back({size, weights.empty() ? 1.0 : weights[i]});
  }
  // Not so small that a quotient by it could overflow.
  return sizes.empty() ? 1.0 : std::max(weighted_quantile(sizes, level), 1e-290);
}

}  // namespace plboost
