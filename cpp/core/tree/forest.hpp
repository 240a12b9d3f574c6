#pragma once

#include <string>
#include <vector>

#include "core/base/feature_scale.hpp"
#include "core/tree/tree.hpp"

namespace plboost {

// A trained model: an output's score = its base_score + its trees' outputs, added in order. Trees
// are kept round by round: tree i belongs to output i % n_outputs().
struct Forest {
  std::string loss;
  std::vector<double> base_score{0.0};
  std::vector<FeatureScale> features;
  std::vector<Tree> trees;

  std::size_t n_outputs() const { return base_score.size(); }
  // Whether leaves see nothing beyond the training data.
  void set_clipping(bool clips) {
    for (FeatureScale& feature : features) feature.clips = clips;
  }
};

}  // namespace plboost
