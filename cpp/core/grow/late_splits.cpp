#include "core/grow/late_splits.hpp"

#include <cstddef>

namespace plboost {

Confirmation confirm_late_splits(const Skeleton& skeleton, const LeafAssignment& assignment,
                                 std::span<const OutputSummary> outputs,
                                 std::span<const Confirmation> of_ones) {
  Confirmation sums;
  const std::size_t n_splits = outputs.size() - 1;
  // The k-th split makes the nodes 2k - 1 and 2k.
  for (std::size_t k = n_splits / 2 + 1; k <= n_splits; ++k) {
    if (!skeleton.nodes[2 * k - 1].is_leaf() || !skeleton.nodes[2 * k].is_leaf()) continue;
    const std::size_t left = assignment.leaf_of_node(2 * k - 1);
    const std::size_t right = assignment.leaf_of_node(2 * k);
    const double weight = outputs[left].weight + outputs[right].weight;
    if (!(weight > 0.0)) continue;
    const double mean =
        (outputs[left].weight * outputs[left].mean + outputs[right].weight * outputs[right].mean) /
        weight;
    for (const std::size_t leaf : {left, right}) {
      const double difference = outputs[leaf].mean - mean;
      sums += {difference * of_ones[leaf].agreement, difference * difference * of_ones[leaf].size};
    }
  }
  return sums;
}

}  // namespace plboost
