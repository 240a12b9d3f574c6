#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/grow/growing_leaf.hpp"

namespace plboost {

// A node of a grown tree whose leaves have no models yet.
struct SkeletonNode {
  const GrowingLeaf* source = nullptr;  // its split is source->best, if it has one
  std::int32_t left = -1;               // the right child follows; -1: a leaf

  bool is_leaf() const { return left < 0; }
};

// The splits of a tree, its nodes numbered in the order in which they were made.
struct Skeleton {
  std::vector<SkeletonNode> nodes;
  double least_gain = std::numeric_limits<double>::infinity();  // of the splits
};

// Paper Algorithm 1: split the leaf of the largest gain, the one made first among equals, until
// there are max_leaves or none can be split. Returns null; or a leaf whose turn has come but that
// has not been expanded.
GrowingLeaf* assemble(GrowingLeaf* root, int max_leaves, Skeleton& skeleton);

}  // namespace plboost
