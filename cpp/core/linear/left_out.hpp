#pragma once

#include <span>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/linear/leaf_fit.hpp"

namespace plboost {

// The normal equations of a leaf's slopes, factored: they tell what the slopes would say of a row
// that they were not fitted to (docs/algorithm.md, section 5). Columns of slope 0 have no part.
class LeftOutFactors {
 public:
  LeftOutFactors() = default;
  LeftOutFactors(const LeafMoments& moments, const LeafLine& line, std::span<const double> ridges);

  LeftOutFit fit(double times) const {
    return {mean_, numbers_.data(), numbers_.data() + 2 * k_, numbers_.data() + k_, times};
  }

 private:
  std::size_t k_ = 0;
  double mean_ = 0.0;
  std::vector<double> numbers_;  // means, inverse, factors
};

// The part of its slopes, 0 to 1, with which a leaf would have said best what the rows that were
// left out have: from the sums of kernels().add_left_out.
double believed_part(const double* sums);

}  // namespace plboost
