#include "core/grow/grower.hpp"

#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <queue>
#include <utility>

namespace plboost {
namespace {

// Nodes of at least this many rows are expanded by all threads together, smaller ones by one thread
// each.
constexpr std::size_t kLargeNode = 32768;

std::size_t sample_size(const Dataset& dataset, const SampleOptions& options) {
  // Below this many rows a sample saves nothing that matters.
  constexpr double kSmallestSample = 4096;
  const auto n = static_cast<double>(dataset.n_rows());
  return static_cast<std::size_t>(std::min(n, std::max(kSmallestSample, options.fraction * n)));
}

LeafOrder::PathLane path_lane(const GrowOptions& options) {
  const bool combined = options.split.fitting != Fitting::kFullyCorrective;
  return combined && options.split.max_regressors > 0 ? LeafOrder::PathLane::kZ
                                                      : LeafOrder::PathLane::kNone;
}

}  // namespace

Grower::Grower(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool,
               std::function<void()> check_interrupt)
    : dataset_(dataset),
      options_(options),
      pool_(pool),
      check_interrupt_(std::move(check_interrupt)),
      n_rows_(sample_size(dataset, options.sample)),
      order_(dataset, n_rows_, path_lane(options)),
      search_(dataset, order_, options_,
              static_cast<double>(n_rows_) / static_cast<double>(dataset.n_rows()), pool.size()),
      frontier_(0),
      goes_left_(static_cast<std::size_t>(pool.size())) {}

// Expanding a leaf (moving its rows, searching its children) does not depend on any other leaf, so
// leaves that will probably be split are expanded side by side. Which of them are split, and in
// what order, is decided by assemble() alone: best first, as in the paper. The tree is the same for
// any number of threads.
const Skeleton& Grower::grow(const Gradients& gradients, std::size_t first_row) {
  frontier_ = Frontier(static_cast<std::size_t>(options_.max_leaves) - 1);
  plant(gradients, first_row);
  for (;;) {
    expand_large();
    expand_rest();
    GrowingLeaf* left_out = assemble();
    if (left_out == nullptr) return skeleton_;
    // Only among leaves of equal gain can the frontier's guess be short of one.
    const Frontier::Entry entry{left_out->best.gain, left_out};
    expand(entry, 0, nullptr);
    add_children(entry);
  }
}

void Grower::plant(const Gradients& gradients, std::size_t first_row) {
  root_ = std::make_unique<GrowingLeaf>();
  root_->rows = order_.reset(gradients, first_row, pool_);
  if (options_.split.regressors == RegressorChoice::kAll) {
    for (std::size_t f = 0; f < dataset_.features().size(); ++f) {
      const FeatureBins* bins = dataset_.features()[f].bins;
      if (bins->can_regress()) root_->model.add({f, bins}, 0.0);
    }
  }
  set_references(*root_);
  if (options_.max_leaves == 1) return;
  search_.search_root(*root_, pool_);
  frontier_.add(root_.get(), std::numeric_limits<double>::infinity());
}

void Grower::expand(const Frontier::Entry& entry, std::size_t worker, ThreadPool* pool) {
  GrowingLeaf& leaf = *entry.leaf;
  const Candidate& best = leaf.best;
  const auto rows = order_.split(leaf.rows, best, goes_left_[worker], pool);
  const auto child = [&](const NodeRows& child_rows, const ChildModel& model) {
    auto made = std::make_unique<GrowingLeaf>();
    made->depth = leaf.depth + 1;
    made->rows = child_rows;
    made->model = leaf.model;
    if (best.redundant) {
      set_references(*made);
      return made;
    }
    for (double& slope : made->model.slopes) slope *= model.slope_z;
    made->model.origin = model.slope_z * made->model.origin + model.shift;
    if (model.takes_column) {
      made->model.add({best.feature, dataset_.features()[best.feature].bins}, model.slope_x);
    }
    set_references(*made);
    return made;
  };
  leaf.left = child(rows[0], best.left);
  leaf.right = child(rows[1], best.right);
  const bool deepest = options_.max_depth > 0 && leaf.left->depth >= options_.max_depth;
  if (!deepest) search_.search_children(leaf, worker, pool);
}

// Taken at once: the rows move when the leaf is expanded, even if the tree does not split it in the
// end.
void Grower::set_references(GrowingLeaf& leaf) const {
  for (const Regressor& regressor : leaf.model.regressors) {
    const CodedFeature& feature = dataset_.features()[regressor.feature];
    leaf.references.push_back(static_cast<double>(order_.value(feature, leaf.rows, 0)));
  }
}

void Grower::add_children(const Frontier::Entry& entry) {
  frontier_.add(entry.leaf->left.get(), entry.rank);
  frontier_.add(entry.leaf->right.get(), entry.rank);
}

void Grower::expand_large() {
  if (pool_.size() == 1) return;
  std::vector<Frontier::Entry> small;
  Frontier::Entry entry;
  while (frontier_.next(entry)) {
    if (entry.leaf->rows.size() < kLargeNode) {
      small.push_back(entry);
      continue;
    }
    check_interrupt_();
    expand(entry, 0, &pool_);
    add_children(entry);
  }
  for (const Frontier::Entry& left_out : small) frontier_.put_back(left_out);
}

void Grower::expand_rest() {
  std::mutex mutex;
  std::condition_variable changed;
  int n_busy = 0;
  bool failed = false;
  pool_.run(static_cast<std::size_t>(pool_.size()), [&](std::size_t, std::size_t worker) {
    std::unique_lock lock(mutex);
    Frontier::Entry entry;
    while (!failed) {
      if (!frontier_.next(entry)) {
        if (n_busy == 0) break;
        changed.wait(lock);
        continue;
      }
      ++n_busy;
      lock.unlock();
      try {
        if (worker == 0) check_interrupt_();
        expand(entry, worker, nullptr);
        lock.lock();
        add_children(entry);
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        failed = true;
        --n_busy;
        changed.notify_all();
        throw;
      }
      --n_busy;
      changed.notify_all();
    }
  });
}

// Paper Algorithm 1: split the leaf of the largest gain, the one made first among equals, until
// there are max_leaves. Returns a leaf whose turn has come but that was not expanded, if there is
// one.
GrowingLeaf* Grower::assemble() {
  struct Open {
    double gain;
    std::size_t node;
    GrowingLeaf* leaf;
    bool operator<(const Open& other) const {
      return gain != other.gain ? gain < other.gain : node > other.node;
    }
  };
  std::priority_queue<Open> open;
  std::vector<SkeletonNode>& nodes = skeleton_.nodes;
  nodes.clear();
  skeleton_.depth = 0;
  const auto make = [&](GrowingLeaf* leaf) {
    if (leaf->best.valid) open.push({leaf->best.gain, nodes.size(), leaf});
    nodes.push_back({.source = leaf});
    skeleton_.depth = std::max(skeleton_.depth, leaf->depth);
  };
  make(root_.get());
  for (int n_leaves = 1; n_leaves < options_.max_leaves && !open.empty(); ++n_leaves) {
    const Open best = open.top();
    open.pop();
    if (!best.leaf->expanded()) return best.leaf;
    nodes[best.node].left = static_cast<std::int32_t>(nodes.size());
    make(best.leaf->left.get());
    make(best.leaf->right.get());
  }
  return nullptr;
}

}  // namespace plboost
