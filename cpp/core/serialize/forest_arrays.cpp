#include "core/serialize/forest_arrays.hpp"

namespace plboost {

ForestArrays to_arrays(const Forest& forest) {
  ForestArrays arrays;
  arrays.base_score = forest.base_score;
  for (const FeatureScale& feature : forest.features) {
    arrays.feature_mean.push_back(feature.mean);
    arrays.feature_scale.push_back(feature.scale);
    arrays.feature_min.push_back(feature.low);
    arrays.feature_max.push_back(feature.high);
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
  return arrays;
}

}  // namespace plboost
