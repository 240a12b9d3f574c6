#include "core/serialize/forest_arrays.hpp"

#include <algorithm>

namespace plboost {
namespace {

// The sets of all trees, one after another; nodes count them from the first of the forest.
void add_category_sets(const Forest& forest, ForestArrays& arrays) {
  const bool any = std::any_of(forest.trees.begin(), forest.trees.end(),
                               [](const Tree& tree) { return !tree.category_sets.empty(); });
  if (!any) return;
  std::int32_t n_sets = 0;
  for (const Tree& tree : forest.trees) {
    for (const Node& node : tree.nodes) {
      if (!node.is_categorical()) {
        arrays.node_category_set.push_back(-1);
        continue;
      }
      arrays.node_category_set.push_back(n_sets++);
      const CategorySet& set = tree.category_sets[static_cast<std::size_t>(node.category_set)];
      arrays.category_set.insert(arrays.category_set.end(), set.bytes().begin(), set.bytes().end());
    }
  }
}

}  // namespace

ForestArrays to_arrays(const Forest& forest) {
  ForestArrays arrays;
  arrays.base_score = forest.base_score;
  for (const FeatureScale& feature : forest.features) {
    arrays.feature_mean.push_back(feature.mean);
    arrays.feature_scale.push_back(feature.scale);
    arrays.feature_min.push_back(feature.low);
    arrays.feature_max.push_back(feature.high);
    arrays.feature_clips.push_back(feature.clips ? 1 : 0);
  }
  arrays.tree_node_start.push_back(0);
  arrays.leaf_regressor_start.push_back(0);
  for (const Tree& tree : forest.trees) {
    for (const Node& node : tree.nodes) {
      arrays.node_feature.push_back(node.feature);
      arrays.node_threshold.push_back(node.threshold);
      arrays.node_missing_left.push_back(node.missing_left ? 1 : 0);
      arrays.node_left.push_back(node.is_leaf() ? 0 : node.child);
      arrays.node_gain.push_back(node.gain);
      arrays.node_weight.push_back(node.weight);
    }
    arrays.tree_node_start.push_back(static_cast<std::int64_t>(arrays.node_feature.size()));
    for (const Leaf& leaf : tree.leaves) {
      arrays.leaf_intercept.push_back(leaf.intercept);
      arrays.leaf_low.push_back(leaf.low);
      arrays.leaf_high.push_back(leaf.high);
      for (const Slope& regressor : tree.regressors_of(leaf)) {
        arrays.regressor_feature.push_back(regressor.feature);
        arrays.regressor_slope.push_back(regressor.slope);
      }
      arrays.leaf_regressor_start.push_back(
          static_cast<std::int64_t>(arrays.regressor_feature.size()));
    }
  }
  add_category_sets(forest, arrays);
  return arrays;
}

}  // namespace plboost
