#pragma once

#include <cstddef>
#include <span>

#include "core/grow/leaf_sums.hpp"

namespace plboost {

// The constant of a leaf is to be the weighted quantile of what its slopes leave of the residuals
// (targets - scores) / unit. All are by row.
struct LeafRenewal {
  double level;
  std::span<const double> targets;
  std::span<const double> scores;
  std::span<const double> weights;  // empty: all 1
  double unit;
};

// That quantile, for a leaf whose constant is 0.
double renewed_constant(LeafSums& sums, const ShrunkLeaf& leaf, const LeafRenewal& renewal,
                        std::size_t worker);

}  // namespace plboost
