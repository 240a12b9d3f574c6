#include "core/grow/monotone_bounds.hpp"

#include <cmath>

namespace plboost {
namespace {

OutputSummary together(const OutputSummary& one, const OutputSummary& other) {
  const double weight = one.weight + other.weight;
  if (!(weight > 0.0)) return {0.0, (one.mean + other.mean) / 2, 0.0};
  const double part = other.weight / weight;
  const double apart = other.mean - one.mean;
  const double variance = (1 - part) * one.deviation * one.deviation +
                          part * other.deviation * other.deviation +
                          part * (1 - part) * apart * apart;
  return {weight, one.mean + part * apart, std::sqrt(variance)};
}

}  // namespace

std::vector<Bounds> monotone_bounds(const Skeleton& skeleton, const LeafAssignment& assignment,
                                    const std::vector<OutputSummary>& leaves) {
  const std::size_t n_nodes = skeleton.nodes.size();
  const auto left = [&](std::size_t i) { return static_cast<std::size_t>(skeleton.nodes[i].left); };
  std::vector<OutputSummary> outputs(n_nodes);
  // Children have greater numbers than their parent.
  for (std::size_t i = n_nodes; i-- > 0;) {
    outputs[i] = skeleton.nodes[i].is_leaf() ? leaves[assignment.leaf_of_node(i)]
                                             : together(outputs[left(i)], outputs[left(i) + 1]);
  }
  std::vector<Bounds> bounds(n_nodes);
  std::vector<Bounds> of_leaves(leaves.size());
  for (std::size_t i = 0; i < n_nodes; ++i) {
    if (skeleton.nodes[i].is_leaf()) {
      of_leaves[assignment.leaf_of_node(i)] = bounds[i];
      continue;
    }
    const int order = skeleton.nodes[i].source->best.order;
    const double bound = dividing_bound(outputs[left(i)], outputs[left(i) + 1], bounds[i]);
    bounds[left(i)] = bounds[i].left_of(bound, order);
    bounds[left(i) + 1] = bounds[i].right_of(bound, order);
  }
  return of_leaves;
}

}  // namespace plboost
