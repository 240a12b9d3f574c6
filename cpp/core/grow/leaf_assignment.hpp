#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/skeleton.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost {

// Which leaf every row of the data set goes to. Rows are not moved: they are cut into blocks, and
// each block has its rows sorted by leaf, so that what is done to the rows of a leaf is done to
// many at a time.
class LeafAssignment {
 public:
  enum class Unit { kBlock, kLeaf };

  explicit LeafAssignment(const Dataset& dataset);

  // For a new tree; its leaves are numbered in the order of their nodes. The rows that it was grown
  // on are where growth left them. Returns what is to be assigned, one by one: blocks, or leaves
  // if the caller takes them and growth has sorted all rows.
  Unit start(const Skeleton& skeleton, const LeafOrder& order, bool takes_leaves, ThreadPool& pool);

  // Sends the other rows of a block down the tree and sorts them all. Blocks may be assigned from
  // different threads at the same time.
  void assign(std::size_t block);

  // Cuts the rows of a leaf into blocks. Leaves may be assigned from different threads at the same
  // time.
  void assign_leaf(std::size_t leaf, std::size_t worker);

  std::size_t n_blocks() const { return n_blocks_; }
  std::size_t n_leaves() const { return leaf_nodes_.size(); }
  std::size_t leaf_node(std::size_t leaf) const { return leaf_nodes_[leaf]; }
  std::uint32_t leaf_of_node(std::size_t node) const { return leaf_of_node_[node]; }
  std::size_t block_begin(std::size_t block) const;
  // The rows of a leaf that lie in a block.
  LeafRows rows(std::size_t block, std::size_t leaf) const {
    const Run& of_leaf = run(block, leaf);
    return {block_begin(block), sorted_rows_.data() + of_leaf.place, of_leaf.n};
  }
  // All rows of a leaf; blocks must be assigned before.
  std::size_t n_rows(std::size_t leaf) const;
  // Where growth left the rows of a leaf, in the order of the ring, if they are all of its rows
  // and side by side.
  const NodeRows* rows_together(std::size_t leaf) const { return together_[leaf]; }
  // Where the first of those that lie in a block stands among all rows, as they are sorted.
  std::size_t place(std::size_t block, std::size_t leaf) const { return run(block, leaf).place; }

 private:
  struct Run {
    std::uint32_t place;
    std::uint32_t n;
  };

  Run& run(std::size_t block, std::size_t leaf) {
    return runs_[block * block_stride_ + leaf * leaf_stride_];
  }
  const Run& run(std::size_t block, std::size_t leaf) const {
    return runs_[block * block_stride_ + leaf * leaf_stride_];
  }
  Unit lay_out(Unit unit);
  std::span<const std::uint32_t> grown_rows(std::size_t l, std::size_t worker,
                                            std::vector<std::uint32_t>& merged) const;
  void number_groups(const Skeleton& skeleton);
  void make_route(const Skeleton& skeleton);
  void take_grown(const Skeleton& skeleton, const LeafOrder& order, ThreadPool& pool);
  void route_rows(std::size_t begin, std::size_t end);
  void sort_rows(std::size_t block);

  const Dataset& dataset_;
  const std::size_t block_rows_;
  const std::size_t n_blocks_;
  std::vector<std::size_t> leaf_nodes_;
  std::vector<std::uint32_t> leaf_of_node_;
  std::vector<std::size_t>
      used_groups_;  // that splits need, in the order in which routing has them
  std::vector<std::size_t> place_of_group_;
  std::vector<RouteNode> route_;
  // Rows that the tree was not grown on: up to two ranges.
  std::array<std::array<std::size_t, 2>, 2> unseen_{};
  std::vector<const NodeRows*> together_;  // by leaf; null: they are not
  std::vector<std::uint16_t> leaf_of_row_;
  std::vector<std::uint16_t> sorted_rows_;  // less the first one of their block
  std::vector<Run> runs_;                   // what is assigned together lies together
  std::size_t block_stride_ = 0;
  std::size_t leaf_stride_ = 0;
  // Where leaves are assigned: what growth left, and where the rows of each leaf begin.
  const Skeleton* skeleton_ = nullptr;
  const LeafOrder* order_ = nullptr;
  std::vector<std::size_t> leaf_begins_;
};

}  // namespace plboost
