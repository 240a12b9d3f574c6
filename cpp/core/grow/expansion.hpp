#pragma once

#include <cstdint>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/column_choice.hpp"
#include "core/grow/feature_rules.hpp"
#include "core/grow/growing_leaf.hpp"
#include "core/grow/leaf_arena.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/options.hpp"
#include "core/grow/split_search.hpp"

namespace plboost {

// Makes leaves: the root from gradients, and two children of a leaf by its best split. A new leaf
// has its rows, its model and its own best split. Different leaves may be expanded from different
// threads at the same time.
class Expansion {
 public:
  Expansion(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool);

  // Leaves are good until the next tree is planted. `place` is the tree's in the forest, see
  // column_choice.hpp.
  GrowingLeaf* plant(const Gradients& gradients, std::size_t first_row, std::uint64_t place);

  const LeafOrder& order() const { return order_; }

  // Gives the leaf its children; by one worker alone or, if a pool is given, by all.
  void expand(GrowingLeaf& leaf, std::size_t worker, ThreadPool* pool);

  // The same in two steps, for different workers: children that are then searched one by one.
  void split(GrowingLeaf& leaf, std::size_t worker, ThreadPool* pool);
  void search(GrowingLeaf& child, std::size_t worker);

 private:
  enum class Side { kLeft, kRight };
  // Makes a child of the leaf's best split.
  void set_child(GrowingLeaf& leaf, const GrowingLeaf& parent, const NodeRows& rows,
                 Side side) const;
  void set_references(GrowingLeaf& leaf) const;
  bool is_deepest(const GrowingLeaf& leaf) const {
    return options_.max_depth > 0 && leaf.depth >= options_.max_depth;
  }
  Regressor regressor(std::size_t feature) const {
    return {feature, dataset_.features()[feature].bins};
  }

  const Dataset& dataset_;
  const GrowOptions& options_;
  ThreadPool& pool_;
  const std::size_t n_known_;  // rows that a tree and its leaf models know of
  const FeatureRules rules_;
  ColumnChoice columns_;
  LeafOrder order_;
  SplitSearch search_;
  std::vector<LeafArena> arenas_;  // of the workers
};

}  // namespace plboost
