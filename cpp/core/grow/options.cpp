#include "core/grow/options.hpp"

#include <algorithm>
#include <cmath>

namespace plboost {

std::size_t SampleOptions::subsampled(std::size_t n_rows) const {
  if (subsample >= 1.0) return n_rows;
  const double wanted = std::floor(subsample * static_cast<double>(n_rows) + 0.5);
  return std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
}

std::size_t SampleOptions::tree_rows(std::size_t n_rows, int max_leaves) const {
  auto wanted = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(n_rows)));
  const auto n_leaves = static_cast<std::size_t>(max_leaves);
  if (max_rows > 0) wanted = std::min(wanted, max_rows / 2 * n_leaves);
  return std::min(n_rows, std::max(wanted, min_rows * n_leaves));
}

std::size_t SampleOptions::node_rows(std::size_t n_rows, double seen) const {
  const double part = std::min(1.0, fraction / seen);
  const auto wanted = static_cast<std::size_t>(std::ceil(part * static_cast<double>(n_rows)));
  const std::size_t searched = std::max(wanted, min_rows);
  return std::min(n_rows, max_rows == 0 ? searched : std::min(searched, max_rows));
}

}  // namespace plboost
