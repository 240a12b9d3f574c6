#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/category_set.hpp"

namespace plboost {

struct Node {
  std::int32_t feature = -1;  // -1: a leaf
  std::int32_t child =
      0;  // the left child, the right one follows it; for a leaf its place in Tree::leaves
  double threshold = 0.0;  // values up to it go left; +inf: all values left, missing right
  bool missing_left = false;
  std::int32_t category_set =
      -1;               // into Tree::category_sets: these codes go left; -1: by threshold
  double gain = 0.0;    // of the split
  double weight = 0.0;  // of the training rows that came here

  bool is_leaf() const { return feature < 0; }
  bool is_categorical() const { return category_set >= 0; }
};

// A line over standardised features, kept within [low, high].
struct Leaf {
  double intercept = 0.0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::size_t first_regressor = 0;  // into Tree::regressors
  std::size_t n_regressors = 0;
};

struct Slope {
  std::int32_t feature = 0;
  double slope = 0.0;  // per standard deviation of the feature
};

// A grown tree. Node 0 is the root; children have greater numbers than their parent.
struct Tree {
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;
  std::vector<Slope> regressors;
  std::vector<CategorySet> category_sets;

  std::span<const Slope> regressors_of(const Leaf& leaf) const {
    return std::span(regressors).subspan(leaf.first_regressor, leaf.n_regressors);
  }

  std::int32_t next(const Node& node, double value) const {
    bool left = node.missing_left;
    if (node.is_categorical()) {
      // A value that is no code is as good as missing.
      const CategorySet& set = category_sets[static_cast<std::size_t>(node.category_set)];
      if (value >= 0.0 && value < CategorySet::kCodes)
        left = set.has(static_cast<std::size_t>(value));
    } else if (!std::isnan(value)) {
      left = value <= node.threshold;
    }
    return left ? node.child : node.child + 1;
  }

  // `values` are raw, `standardised` what FeatureScale makes of them.
  double output(const double* values, const double* standardised) const {
    const Node* node = nodes.data();
    while (!node->is_leaf()) node = nodes.data() + next(*node, values[node->feature]);
    return output(*node, standardised);
  }

  // The same of a row that ends in the given node.
  double output(const Node& end, const double* standardised) const {
    const Leaf& leaf = leaves[static_cast<std::size_t>(end.child)];
    double output = leaf.intercept;
    for (const Slope& regressor : regressors_of(leaf)) {
      output += regressor.slope * standardised[regressor.feature];
    }
    // In this order a NaN, which only a line of absurd slopes can give, becomes `low`.
    return std::min(leaf.high, std::max(leaf.low, output));
  }
};

}  // namespace plboost
