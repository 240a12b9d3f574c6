#pragma once

#include <cstddef>
#include <span>

#include "core/grow/leaf_assignment.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/kernels/kernels.hpp"

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

// That quantile; `line` is the leaf's, with a constant of 0. `known`, unless empty, are the weights
// that the rows have in a tree that knows some of them only, `weights` what they are elsewhere.
double renewed_constant(const LeafAssignment& assignment, std::size_t leaf, const LeafTerms& line,
                        const LeafRenewal& renewal, std::span<const float> known,
                        std::span<const float> weights);

}  // namespace plboost
