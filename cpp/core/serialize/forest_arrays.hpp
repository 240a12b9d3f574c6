#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tree/forest.hpp"

namespace plboost {

// A forest as the arrays of the model file, one per field. docs/model-format.md describes each.
struct ForestArrays {
  std::vector<double> base_score;
  std::vector<double> feature_mean, feature_scale, feature_min, feature_max;
  std::vector<std::int64_t> tree_node_start;
  std::vector<std::int32_t> node_feature;
  std::vector<double> node_threshold;
  std::vector<std::uint8_t> node_missing_left;
  std::vector<std::int32_t> node_left;
  std::vector<double> node_gain, node_weight;
  std::vector<double> leaf_intercept, leaf_low, leaf_high;
  std::vector<std::int64_t> leaf_regressor_start;
  std::vector<std::int32_t> regressor_feature;
  std::vector<double> regressor_slope;
  // Both empty where no split is categorical.
  std::vector<std::int32_t> node_category_set;
  std::vector<std::uint8_t> category_set;
  std::vector<std::uint8_t> feature_clips;

  // Calls visit(name, array) for every array, in the order of the file.
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& visit) {
    visit("base_score", self.base_score);
    visit("feature_mean", self.feature_mean);
    visit("feature_scale", self.feature_scale);
    visit("feature_min", self.feature_min);
    visit("feature_max", self.feature_max);
    visit("tree_node_start", self.tree_node_start);
    visit("node_feature", self.node_feature);
    visit("node_threshold", self.node_threshold);
    visit("node_missing_left", self.node_missing_left);
    visit("node_left", self.node_left);
    visit("node_gain", self.node_gain);
    visit("node_weight", self.node_weight);
    visit("leaf_intercept", self.leaf_intercept);
    visit("leaf_low", self.leaf_low);
    visit("leaf_high", self.leaf_high);
    visit("leaf_regressor_start", self.leaf_regressor_start);
    visit("regressor_feature", self.regressor_feature);
    visit("regressor_slope", self.regressor_slope);
    visit("node_category_set", self.node_category_set);
    visit("category_set", self.category_set);
    visit("feature_clips", self.feature_clips);
  }
};

ForestArrays to_arrays(const Forest& forest);

// Trusts nothing: lengths, ranges, children, numbers. Throws InvalidInput naming the array that is
// wrong. A forest that it returns cannot make prediction loop or read out of bounds.
Forest from_arrays(const std::string& loss, const ForestArrays& arrays);

}  // namespace plboost
