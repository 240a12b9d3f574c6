#include "core/grow/expansion.hpp"

#include <stdexcept>

namespace plboost {
namespace {

LeafOrder::PathLane path_lane(const GrowOptions& options) {
  const bool combined = options.split.fitting != Fitting::kFullyCorrective;
  return combined && options.split.max_regressors > 0 ? LeafOrder::PathLane::kZ
                                                      : LeafOrder::PathLane::kNone;
}

}  // namespace

Expansion::Expansion(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool)
    : dataset_(dataset),
      options_(options),
      pool_(pool),
      n_rows_(options.sample.tree_rows(dataset.n_rows(), options.max_leaves)),
      order_(dataset, n_rows_, path_lane(options), options.layout),
      search_(dataset, order_, options,
              static_cast<double>(n_rows_) / static_cast<double>(dataset.n_rows()), pool.size()),
      goes_left_(static_cast<std::size_t>(pool.size())) {}

std::unique_ptr<GrowingLeaf> Expansion::plant(const Gradients& gradients, std::size_t first_row) {
  auto root = std::make_unique<GrowingLeaf>();
  root->rows = order_.reset(gradients, first_row, pool_);
  if (options_.split.regressors == RegressorChoice::kAll) {
    for (std::size_t f = 0; f < dataset_.features().size(); ++f) {
      if (regressor(f).bins->can_regress()) root->model.add(regressor(f), 0.0);
    }
  }
  set_references(*root);
  if (options_.max_leaves > 1) search_.search_root(*root, pool_);
  return root;
}

void Expansion::expand(GrowingLeaf& leaf, std::size_t worker, ThreadPool* pool) {
  const auto rows = order_.split(leaf.rows, leaf.best, goes_left_[worker], pool);
  if (rows[0].size() == 0 || rows[1].size() == 0) {
    // Empty bins are never cut off, so this cannot happen; if it did, growth would not end.
    throw std::logic_error("plboost: a split left one side empty; please report this.");
  }
  leaf.left = child(leaf, rows[0], leaf.best.left);
  leaf.right = child(leaf, rows[1], leaf.best.right);
  const bool deepest = options_.max_depth > 0 && leaf.left->depth >= options_.max_depth;
  if (!deepest) search_.search_children(leaf, worker, pool);
}

std::unique_ptr<GrowingLeaf> Expansion::child(const GrowingLeaf& parent, const NodeRows& rows,
                                              const ChildModel& model) const {
  auto leaf = std::make_unique<GrowingLeaf>();
  leaf->depth = parent.depth + 1;
  leaf->rows = rows;
  leaf->model = parent.model;
  if (parent.best.redundant) {
    leaf->model.mean = model.mean_z;
  } else {
    leaf->model.scale(model.slope_z, model.shift);
    if (model.takes_column) leaf->model.add(regressor(parent.best.feature), model.slope_x);
  }
  set_references(*leaf);
  return leaf;
}

// Taken at once: the rows move when the leaf is expanded, even if the tree does not split it in the
// end.
void Expansion::set_references(GrowingLeaf& leaf) const {
  for (const Regressor& each : leaf.model.regressors) {
    const CodedFeature& feature = dataset_.features()[each.feature];
    leaf.references.push_back(static_cast<double>(order_.value(feature, leaf.rows, 0)));
  }
}

}  // namespace plboost
