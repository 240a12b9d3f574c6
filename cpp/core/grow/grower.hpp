#pragma once

#include <functional>

#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/expansion.hpp"
#include "core/grow/frontier.hpp"
#include "core/grow/growing_leaf.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/options.hpp"
#include "core/grow/skeleton.hpp"

namespace plboost {

// Gradients -> the splits of one tree (paper Algorithm 1). Keeps its memory from tree to tree.
class Grower {
 public:
  // `check_interrupt` is called now and then from the calling thread and may throw to stop.
  Grower(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool,
         std::function<void()> check_interrupt);

  // Of the trees to come; outputs of a model may differ in scale.
  void set_min_gain(double min_gain) { options_.split.min_gain = min_gain; }
  // At most as many as in the options.
  void set_max_leaves(int max_leaves) { options_.max_leaves = max_leaves; }

  // Good until the next one. The tree sees the sample's rows, which begin at `first_row` of the
  // data set's random order.
  // `place` is the tree's in the forest: what is drawn for it hangs on that alone.
  const Skeleton& grow(const Gradients& gradients, std::size_t first_row, std::uint64_t place = 0);

  // Where growth left the sample's rows.
  const LeafOrder& order() const { return expansion_.order(); }

 private:
  enum class Told { kLeaf, kChildren, kUnsearched };
  Told perform(const Frontier::Task& task, std::size_t worker);
  void add_children(const GrowingLeaf& leaf, const Frontier::Rank& rank, std::size_t worker);
  void add_unsearched(const GrowingLeaf& leaf, const Frontier::Rank& rank, std::size_t worker);
  void expand_large();
  void expand_rest();

  GrowOptions options_;
  ThreadPool& pool_;
  const std::function<void()> check_interrupt_;
  Expansion expansion_;
  Frontier frontier_;
  GrowingLeaf* root_ = nullptr;
  Skeleton skeleton_;
};

}  // namespace plboost
