#pragma once

#include <span>
#include <vector>

#include "core/base/confirmation.hpp"
#include "core/kernels/kernels.hpp"
#include "core/linear/leaf_fit.hpp"

namespace plboost {

// The normal equations of a leaf's slopes, factored: they tell what the slopes would say of a row
// that they were not fitted to (docs/algorithm.md, section 5).
class LeftOutFactors {
 public:
  LeftOutFactors() = default;
  LeftOutFactors(const LeafMoments& moments, const LeafLine& line, std::span<const double> ridges);

  LeftOutFit fit() const {
    return {mean_, numbers_.data(), numbers_.data() + 2 * k_, numbers_.data() + k_};
  }

 private:
  std::size_t k_ = 0;
  double mean_ = 0.0;
  std::vector<double> numbers_;  // means, inverse, factors
};

// The part, 0 to 1, that each leaf of a tree keeps of its slopes, from the sums of
// kernels().add_left_out of all leaves: [leaf][kLeftOutSums]. `weight` is that of the tree's rows.
// `so_far` is what rows have confirmed of the slopes of the trees before it; this tree's is added.
// `unknown` is what rows have confirmed of them that those trees do not know of, if there are any.
std::vector<double> believed_parts(std::span<const double> sums, double weight,
                                   double slope_shrinkage, Confirmation& so_far,
                                   const Confirmation& unknown);

}  // namespace plboost
