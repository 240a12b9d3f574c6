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
      n_known_(options.sample.subsampled(dataset.n_rows())),
      rules_(dataset, options.constraints),
      columns_(rules_, dataset.features().size(), options.columns),
      order_(dataset, options.sample.tree_rows(n_known_, options.max_leaves), path_lane(options),
             options.layout, pool.size()),
      search_(dataset, order_, rules_, options, pool.size()),
      arenas_(static_cast<std::size_t>(pool.size())) {}

GrowingLeaf* Expansion::plant(const Gradients& gradients, std::size_t first_row,
                              std::uint64_t place) {
  for (LeafArena& arena : arenas_) arena.start_tree();
  GrowingLeaf* root = arenas_[0].make();
  root->depth = 0;
  root->model = {};
  root->bounds = {};
  columns_.start_tree(place);
  root->place = place;
  root->cuts = columns_.of_node(place, 0, {});
  // Smaller trees need fewer rows.
  const std::size_t n_rows = options_.sample.tree_rows(n_known_, options_.max_leaves);
  root->rows = order_.reset(gradients, first_row, n_rows, pool_);
  search_.start_tree(static_cast<double>(n_rows) / static_cast<double>(n_known_));
  if (options_.split.regressors == RegressorChoice::kAll) {
    for (std::size_t f = 0; f < dataset_.features().size(); ++f) {
      const bool drawn = columns_.of_tree().empty() || columns_.of_tree()[f] || !rules_.may_cut(f);
      if (rules_.may_regress(f) && drawn) root->model.add(regressor(f), 0.0);
    }
  } else {
    for (const std::size_t f : rules_.lines_only()) root->model.add(regressor(f), 0.0);
  }
  set_references(*root);
  if (options_.max_leaves > 1) search_.search(*root, 0, &pool_);
  return root;
}

void Expansion::expand(GrowingLeaf& leaf, std::size_t worker, ThreadPool* pool) {
  split(leaf, worker, pool);
  if (!is_deepest(*leaf.left)) search_.search_children(leaf, worker, pool);
}

void Expansion::search(GrowingLeaf& child, std::size_t worker) {
  if (is_deepest(child)) return;
  order_.take(child.rows, worker);
  child.rows.writer = worker;
  search_.search(child, worker, nullptr);
}

void Expansion::split(GrowingLeaf& leaf, std::size_t worker, ThreadPool* pool) {
  const auto rows = order_.split(leaf.rows, leaf.best, worker, pool);
  if (rows[0].size() == 0 || rows[1].size() == 0) {
    // Empty bins are never cut off, so this cannot happen; if it did, growth would not end.
    throw std::logic_error("plboost: a split left one side empty; please report this.");
  }
  leaf.left = arenas_[worker].make();
  leaf.right = arenas_[worker].make();
  set_child(*leaf.left, leaf, rows[0], Side::kLeft);
  set_child(*leaf.right, leaf, rows[1], Side::kRight);
}

void Expansion::set_child(GrowingLeaf& leaf, const GrowingLeaf& parent, const NodeRows& rows,
                          Side side) const {
  const Candidate& split = parent.best;
  const bool left = side == Side::kLeft;
  const ChildModel& model = left ? split.left : split.right;
  leaf.place = child_place(parent.place, left);
  leaf.bounds = left ? parent.bounds.left_of(split.bound, split.order)
                     : parent.bounds.right_of(split.bound, split.order);
  if (!rules_.groups().empty()) {
    leaf.path = parent.path;
    leaf.path.push_back(split.feature);
  }
  leaf.cuts = columns_.of_node(leaf.place, parent.depth + 1, leaf.path);
  leaf.depth = parent.depth + 1;
  leaf.rows = rows;
  leaf.model.reserve(parent.model.regressors.size() + 1);
  leaf.model = parent.model;
  if (parent.best.redundant) {
    leaf.model.mean = model.mean_z;
  } else {
    leaf.model.scale(model.slope_z, model.shift);
    if (model.takes_column) leaf.model.add(regressor(parent.best.feature), model.slope_x);
  }
  set_references(leaf);
}

// Taken at once: the rows move when the leaf is expanded, even if the tree does not split it in the
// end.
void Expansion::set_references(GrowingLeaf& leaf) const {
  leaf.references.reserve(leaf.model.regressors.size());
  for (const Regressor& each : leaf.model.regressors) {
    const CodedFeature& feature = dataset_.features()[each.feature];
    leaf.references.push_back(static_cast<double>(order_.value(feature, leaf.rows, 0)));
  }
}

}  // namespace plboost
