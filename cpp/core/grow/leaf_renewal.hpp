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

// What a slope explains by noise alone where hessians come from the targets: a few rows may then
// carry most of the leaf, the others being there in name only (docs/algorithm.md, section 5).
// Infinite where those few are no more than the coefficients. `weights` may be empty: all 1.
double scattered_noise(const LeafAssignment& assignment, std::size_t leaf, const LeafTerms& line,
                       const Gradients& gradients, std::span<const float> weights);

}  // namespace plboost
