#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grow/feature_rules.hpp"
#include "core/grow/options.hpp"

namespace plboost {

// The place of a node in the forest as a number: draws for a node depend on it alone, never on the
// order in which threads come to nodes.
std::uint64_t tree_place(std::uint64_t seed, std::uint64_t tree);
std::uint64_t child_place(std::uint64_t parent, bool left);

// Which features a node may be cut by: what the user allows, what the path leaves, what the draws
// for the tree, the level and the node give.
class ColumnChoice {
 public:
  ColumnChoice(const FeatureRules& rules, std::size_t n_features, const ColumnSample& sample);

  void start_tree(std::uint64_t place);

  // The present tree's features, by feature; empty: all.
  const std::vector<char>& of_tree() const { return tree_; }

  // By feature; empty: all. `path` are the features of the cuts above the node.
  std::vector<char> of_node(std::uint64_t place, int depth,
                            const std::vector<std::size_t>& path) const;

 private:
  const FeatureRules& rules_;
  const std::size_t n_features_;
  const ColumnSample sample_;
  bool all_allowed_ = true;
  std::uint64_t place_ = 0;
  std::vector<char> tree_;
};

}  // namespace plboost
