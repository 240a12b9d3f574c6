#include "core/grow/skeleton.hpp"

#include <algorithm>
#include <queue>

namespace plboost {

GrowingLeaf* assemble(GrowingLeaf* root, int max_leaves, Skeleton& skeleton) {
  struct Open {
    double gain;
    std::size_t node;
    GrowingLeaf* leaf;
    bool operator<(const Open& other) const {
      return gain != other.gain ? gain < other.gain : node > other.node;
    }
  };
  std::priority_queue<Open> open;
  std::vector<SkeletonNode>& nodes = skeleton.nodes;
  nodes.clear();
  skeleton.least_gain = std::numeric_limits<double>::infinity();
  const auto make = [&](GrowingLeaf* leaf) {
    if (leaf->best.valid) open.push({leaf->best.gain, nodes.size(), leaf});
    nodes.push_back({.source = leaf});
  };
  make(root);
  for (int n_leaves = 1; n_leaves < max_leaves && !open.empty(); ++n_leaves) {
    const Open best = open.top();
    open.pop();
    if (!best.leaf->expanded()) return best.leaf;
    nodes[best.node].left = static_cast<std::int32_t>(nodes.size());
    make(best.leaf->left);
    make(best.leaf->right);
    skeleton.least_gain = std::min(skeleton.least_gain, best.gain);
  }
  return nullptr;
}

}  // namespace plboost
