#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/tree/tree.hpp"

namespace plboost {

// Where a feature's values lay in the training data.
struct FeatureScale {
  double mean = 0.0;
  double scale = 1.0;
  double low = 0.0;  // smallest and largest finite value
  double high = 0.0;

  // What leaves see. Missing is the mean; infinities are the end of what was seen; and nothing is
  // so large that sums over leaves could overflow.
  double standardise(double value) const {
    if (std::isnan(value)) return 0.0;
    if (std::isinf(value)) value = value > 0.0 ? high : low;
    return std::clamp((value - mean) / scale, -1e15, 1e15);
  }
};

// A trained model: an output's score = its base_score + its trees' outputs, added in order. Trees
// are kept round by round: tree i belongs to output i % n_outputs().
struct Forest {
  std::string loss;
  std::vector<double> base_score{0.0};
  std::vector<FeatureScale> features;
  std::vector<Tree> trees;

  std::size_t n_outputs() const { return base_score.size(); }
};

}  // namespace plboost
