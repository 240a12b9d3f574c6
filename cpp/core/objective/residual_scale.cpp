#include "core/objective/residual_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/weighted_quantile.hpp"

namespace plboost {
namespace {

// The largest but for a hundredth of all, one at least: beside a single wild target no other
// residual is rounding.
double usual_largest(std::vector<double> sizes) {
  if (sizes.empty()) return 0.0;
  const std::size_t wild = std::min(sizes.size() - 1, std::max<std::size_t>(1, sizes.size() / 100));
  const auto place = sizes.end() - 1 - static_cast<std::ptrdiff_t>(wild);
  std::nth_element(sizes.begin(), place, sizes.end());
  return *place;
}

}  // namespace

double residual_scale(std::span<const double> targets, std::span<const double> weights,
                      std::span<const double> scores, double level) {
  const std::size_t n = std::min(targets.size(), kScaleRows);
  std::vector<double> sizes(n);
  for (std::size_t i = 0; i < n; ++i) sizes[i] = std::abs(targets[i] - scores[i]);
  const double rounding = 1e-12 * usual_largest(sizes);
  std::vector<WeightedValue> counted;
  counted.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (sizes[i] > rounding) counted.push_back({sizes[i], weights.empty() ? 1.0 : weights[i]});
  }
  // Not so small that a quotient by it could overflow.
  return counted.empty() ? 1.0 : std::max(weighted_quantile(counted, level), 1e-290);
}

}  // namespace plboost
