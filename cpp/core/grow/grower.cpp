#include "core/grow/grower.hpp"

#include <utility>

namespace plboost {

Grower::Grower(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool,
               std::function<void()> check_interrupt)
    : dataset_(dataset),
      options_(options),
      pool_(pool),
      check_interrupt_(std::move(check_interrupt)),
      order_(dataset, pool),
      search_(dataset, options_, pool) {}

GrownTree Grower::grow(std::span<const float> g, std::span<const float> h) {
  nodes_.assign(1, Node{});
  growing_.clear();
  growing_.push_back(std::make_unique<GrowingLeaf>(root(g, h)));
  frontier_ = {};
  int n_leaves = 1;
  GrowingLeaf* first[] = {growing_[0].get()};
  if (options_.max_leaves > 1) search(first);
  while (n_leaves < options_.max_leaves) {
    const std::optional<std::size_t> best = frontier_.pop();
    if (!best) break;
    check_interrupt_();
    std::array<GrowingLeaf*, 2> children = split(*best);
    if (++n_leaves < options_.max_leaves) search(children);
  }
  return finish();
}

GrowingLeaf Grower::root(std::span<const float> g, std::span<const float> h) {
  GrowingLeaf leaf{.rows = order_.reset(g, h)};
  for (const double weight : dataset_.weights()) nodes_[0].weight += weight;
  if (options_.split.regressors == RegressorChoice::kAll) {
    for (std::size_t slot = 0; slot < dataset_.n_slots(); ++slot) {
      const FeatureBins& bins = dataset_.slot_bins(slot);
      if (bins.can_regress()) leaf.model.add({slot, &bins}, 0.0);
    }
  }
  return leaf;
}

void Grower::search(std::span<GrowingLeaf*> leaves) {
  const bool too_deep = options_.max_depth > 0 && leaves[0]->depth >= options_.max_depth;
  if (too_deep) return;
  search_.run(leaves, order_);
  for (const GrowingLeaf* leaf : leaves) {
    if (leaf->best.valid) frontier_.push(leaf->best.gain, leaf->node);
  }
}

std::array<GrowingLeaf*, 2> Grower::split(std::size_t node) {
  const std::unique_ptr<GrowingLeaf> parent = std::move(growing_[node]);
  const Candidate& best = parent->best;
  const std::array<NodeRows, 2> rows = order_.split(parent->rows, best);
  const std::size_t left = nodes_.size();
  const FeatureBins& bins = dataset_.slot_bins(best.slot);
  const bool all_values_left = best.threshold + 1 == bins.n_bins();
  nodes_[node].feature = dataset_.slot_feature(best.slot);
  nodes_[node].child = static_cast<std::int32_t>(left);
  nodes_[node].threshold = all_values_left ? std::numeric_limits<double>::infinity()
                                           : bins.edges[static_cast<std::size_t>(best.threshold)];
  nodes_[node].missing_left = best.missing_left;
  nodes_[node].gain = best.gain;
  nodes_.push_back(Node{.weight = best.left.weight});
  nodes_.push_back(Node{.weight = best.right.weight});
  growing_.push_back(std::make_unique<GrowingLeaf>(child(*parent, left, rows[0], best.left)));
  growing_.push_back(std::make_unique<GrowingLeaf>(child(*parent, left + 1, rows[1], best.right)));
  return {growing_[left].get(), growing_[left + 1].get()};
}

GrowingLeaf Grower::child(const GrowingLeaf& parent, std::size_t node, const NodeRows& rows,
                          const ChildModel& model) const {
  GrowingLeaf leaf{.node = node, .depth = parent.depth + 1, .rows = rows, .model = parent.model};
  const Candidate& best = parent.best;
  if (best.redundant) return leaf;
  for (double& slope : leaf.model.slopes) slope *= model.slope_z;
  leaf.model.origin = model.slope_z * leaf.model.origin + model.shift;
  if (model.takes_column) {
    leaf.model.add({best.slot, &dataset_.slot_bins(best.slot)}, model.slope_x);
  }
  return leaf;
}

GrownTree Grower::finish() {
  GrownTree grown;
  std::vector<const GrowingLeaf*> leaves;
  for (const auto& leaf : growing_) {
    if (leaf) leaves.push_back(leaf.get());
  }
  grown.leaves.resize(leaves.size());
  pool_.run(leaves.size(), [&](std::size_t i, std::size_t) {
    grown.leaves[i] = finish_leaf(*leaves[i], order_, options_);
  });
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const GrownLeaf& leaf = grown.leaves[i];
    nodes_[leaves[i]->node].child = static_cast<std::int32_t>(i);
    grown.tree.leaves.push_back({.intercept = leaf.line.intercept,
                                 .low = leaf.low,
                                 .high = leaf.high,
                                 .first_regressor = grown.tree.regressors.size(),
                                 .n_regressors = leaf.regressors.size()});
    for (std::size_t j = 0; j < leaf.regressors.size(); ++j) {
      grown.tree.regressors.push_back({.feature = dataset_.slot_feature(leaf.regressors[j].slot),
                                       .slope = leaf.line.slopes[j]});
    }
  }
  grown.tree.nodes = nodes_;
  return grown;
}

void Grower::add_outputs(const GrownTree& grown, double factor, std::span<double> scores) const {
  pool_.run(grown.leaves.size(), [&](std::size_t i, std::size_t) {
    const GrownLeaf& leaf = grown.leaves[i];
    const std::span<const std::uint32_t> rows = row_numbers(leaf);
    for (std::size_t at = 0; at < rows.size(); ++at) {
      scores[rows[at]] += factor * leaf.line.at(leaf.columns, at);
    }
  });
}

}  // namespace plboost
