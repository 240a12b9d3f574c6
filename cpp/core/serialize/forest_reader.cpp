#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/serialize/forest_arrays.hpp"

namespace plboost {
namespace {

[[noreturn]] void reject(const std::string& array, const std::string& why) {
  throw InvalidInput("not a valid model: " + array + " " + why + ".");
}

template <typename T>
void check_length(const char* name, const std::vector<T>& array, std::size_t expected) {
  if (array.size() != expected) {
    reject(name, "must have " + std::to_string(expected) + " elements, has " +
                     std::to_string(array.size()));
  }
}

void check_finite(const char* name, const std::vector<double>& array) {
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (!std::isfinite(array[i]))
      reject(name, "must be finite, element " + std::to_string(i) + " is not");
  }
}

// Starts of consecutive ranges: 0, then not decreasing (or increasing), up to `end`.
void check_starts(const char* name, const std::vector<std::int64_t>& starts, std::size_t end,
                  std::int64_t smallest_step) {
  if (starts.empty() || starts.front() != 0) reject(name, "must begin with 0");
  for (std::size_t i = 1; i < starts.size(); ++i) {
    // Both are checked to be in [0, end] before the subtraction.
    if (starts[i] < 0 || static_cast<std::uint64_t>(starts[i]) > end ||
        starts[i] - starts[i - 1] < smallest_step) {
      reject(name, "is not in order at element " + std::to_string(i));
    }
  }
  if (static_cast<std::uint64_t>(starts.back()) != end) {
    reject(name, "must end with " + std::to_string(end));
  }
}

void check_features(const ForestArrays& arrays) {
  if (arrays.base_score.empty()) reject("base_score", "must not be empty");
  check_finite("base_score", arrays.base_score);
  const std::size_t n = arrays.feature_mean.size();
  if (n == 0) reject("feature_mean", "must not be empty");
  check_length("feature_scale", arrays.feature_scale, n);
  check_length("feature_min", arrays.feature_min, n);
  check_length("feature_max", arrays.feature_max, n);
  check_length("feature_clips", arrays.feature_clips, n);
  check_finite("feature_mean", arrays.feature_mean);
  check_finite("feature_scale", arrays.feature_scale);
  check_finite("feature_min", arrays.feature_min);
  check_finite("feature_max", arrays.feature_max);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(arrays.feature_scale[i] > 0.0)) reject("feature_scale", "must be positive");
    if (arrays.feature_min[i] > arrays.feature_max[i]) reject("feature_min", "exceeds feature_max");
    if (arrays.feature_clips[i] > 1) reject("feature_clips", "must be 0 or 1");
  }
}

void check_node_arrays(const ForestArrays& arrays) {
  const std::size_t n = arrays.node_feature.size();
  check_length("node_threshold", arrays.node_threshold, n);
  check_length("node_missing_left", arrays.node_missing_left, n);
  check_length("node_left", arrays.node_left, n);
  check_length("node_gain", arrays.node_gain, n);
  check_length("node_weight", arrays.node_weight, n);
  check_finite("node_gain", arrays.node_gain);
  check_finite("node_weight", arrays.node_weight);
  const auto n_features = static_cast<std::int64_t>(arrays.feature_mean.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (arrays.node_feature[i] < -1 || arrays.node_feature[i] >= n_features) {
      reject("node_feature", "names a feature that does not exist at element " + std::to_string(i));
    }
    if (arrays.node_missing_left[i] > 1) reject("node_missing_left", "must be 0 or 1");
    if (std::isnan(arrays.node_threshold[i])) reject("node_threshold", "must not be NaN");
    if (arrays.node_weight[i] < 0.0) reject("node_weight", "must not be negative");
  }
  check_starts("tree_node_start", arrays.tree_node_start, n, 1);
  if ((arrays.tree_node_start.size() - 1) % arrays.base_score.size() != 0) {
    reject("tree_node_start", "has " + std::to_string(arrays.tree_node_start.size() - 1) +
                                  " trees, which is not a multiple of the " +
                                  std::to_string(arrays.base_score.size()) +
                                  " outputs that base_score has");
  }
}

// Sets are numbered in the order of their nodes, so that each belongs to one.
void check_category_sets(const ForestArrays& arrays) {
  const std::size_t n = arrays.node_category_set.empty() ? 0 : arrays.node_feature.size();
  check_length("node_category_set", arrays.node_category_set, n);
  std::int32_t n_sets = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t set = arrays.node_category_set[i];
    if (set == -1) continue;
    if (set != n_sets) {
      reject("node_category_set", "is not in order at element " + std::to_string(i));
    }
    if (arrays.node_feature[i] < 0) reject("node_category_set", "gives a leaf a set");
    ++n_sets;
  }
  check_length("category_set", arrays.category_set,
               static_cast<std::size_t>(n_sets) * CategorySet::kBytes);
}

void check_leaf_arrays(const ForestArrays& arrays) {
  std::size_t n = 0;
  for (const std::int32_t feature : arrays.node_feature) n += feature < 0;
  check_length("leaf_intercept", arrays.leaf_intercept, n);
  check_length("leaf_low", arrays.leaf_low, n);
  check_length("leaf_high", arrays.leaf_high, n);
  check_finite("leaf_intercept", arrays.leaf_intercept);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(arrays.leaf_low[i] <= arrays.leaf_high[i])) reject("leaf_low", "exceeds leaf_high");
    if (std::isinf(arrays.leaf_low[i]) && arrays.leaf_low[i] > 0.0) {
      reject("leaf_low", "must not be infinite");
    }
    if (std::isinf(arrays.leaf_high[i]) && arrays.leaf_high[i] < 0.0) {
      reject("leaf_high", "must not be minus infinite");
    }
  }
  const std::size_t n_regressors = arrays.regressor_feature.size();
  check_length("leaf_regressor_start", arrays.leaf_regressor_start, n + 1);
  check_starts("leaf_regressor_start", arrays.leaf_regressor_start, n_regressors, 0);
  check_length("regressor_slope", arrays.regressor_slope, n_regressors);
  check_finite("regressor_slope", arrays.regressor_slope);
  const auto n_features = static_cast<std::int64_t>(arrays.feature_mean.size());
  for (const std::int32_t feature : arrays.regressor_feature) {
    if (feature < 0 || feature >= n_features) {
      reject("regressor_feature", "names a feature that does not exist");
    }
  }
}

// Every node but the root is the child of exactly one node with a smaller number: no cycle, no
// orphan.
void check_children(const Tree& tree) {
  std::vector<char> has_parent(tree.nodes.size(), 0);
  has_parent[0] = 1;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    if (node.is_leaf()) continue;
    const std::int64_t left = node.child;
    if (left <= static_cast<std::int64_t>(i) ||
        left + 1 >= static_cast<std::int64_t>(tree.nodes.size())) {
      reject("node_left", "points outside its tree");
    }
    for (const std::int64_t child : {left, left + 1}) {
      char& seen = has_parent[static_cast<std::size_t>(child)];
      if (seen) reject("node_left", "gives a node two parents");
      seen = 1;
    }
  }
  for (const char seen : has_parent) {
    if (!seen) reject("node_left", "leaves a node without a parent");
  }
}

Tree read_tree(const ForestArrays& arrays, std::size_t begin, std::size_t end,
               std::size_t& next_leaf) {
  Tree tree;
  for (std::size_t i = begin; i < end; ++i) {
    Node node{.feature = arrays.node_feature[i],
              .child = arrays.node_left[i],
              .threshold = arrays.node_threshold[i],
              .missing_left = arrays.node_missing_left[i] != 0,
              .gain = arrays.node_gain[i],
              .weight = arrays.node_weight[i]};
    if (node.is_leaf()) {
      node.child = static_cast<std::int32_t>(tree.leaves.size());
      const auto first = static_cast<std::size_t>(arrays.leaf_regressor_start[next_leaf]);
      const auto last = static_cast<std::size_t>(arrays.leaf_regressor_start[next_leaf + 1]);
      tree.leaves.push_back({.intercept = arrays.leaf_intercept[next_leaf],
                             .low = arrays.leaf_low[next_leaf],
                             .high = arrays.leaf_high[next_leaf],
                             .first_regressor = tree.regressors.size(),
                             .n_regressors = last - first});
      for (std::size_t j = first; j < last; ++j) {
        tree.regressors.push_back(
            {.feature = arrays.regressor_feature[j], .slope = arrays.regressor_slope[j]});
      }
      ++next_leaf;
    } else if (!arrays.node_category_set.empty() && arrays.node_category_set[i] >= 0) {
      node.category_set = static_cast<std::int32_t>(tree.category_sets.size());
      CategorySet set;
      const auto first =
          static_cast<std::size_t>(arrays.node_category_set[i]) * CategorySet::kBytes;
      std::copy_n(arrays.category_set.data() + first, CategorySet::kBytes, set.bytes().data());
      tree.category_sets.push_back(set);
    }
    tree.nodes.push_back(node);
  }
  check_children(tree);
  return tree;
}

}  // namespace

Forest from_arrays(const std::string& loss, const ForestArrays& arrays) {
  check_features(arrays);
  check_node_arrays(arrays);
  check_category_sets(arrays);
  check_leaf_arrays(arrays);
  Forest forest;
  forest.loss = loss;
  forest.base_score = arrays.base_score;
  for (std::size_t i = 0; i < arrays.feature_mean.size(); ++i) {
    forest.features.push_back({.mean = arrays.feature_mean[i],
                               .scale = arrays.feature_scale[i],
                               .low = arrays.feature_min[i],
                               .high = arrays.feature_max[i],
                               .clips = arrays.feature_clips[i] != 0});
  }
  std::size_t next_leaf = 0;
  for (std::size_t t = 0; t + 1 < arrays.tree_node_start.size(); ++t) {
    forest.trees.push_back(read_tree(arrays, static_cast<std::size_t>(arrays.tree_node_start[t]),
                                     static_cast<std::size_t>(arrays.tree_node_start[t + 1]),
                                     next_leaf));
  }
  return forest;
}

}  // namespace plboost
