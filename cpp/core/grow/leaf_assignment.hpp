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
  explicit LeafAssignment(const Dataset& dataset);

  // For a new tree; its leaves are numbered in the order of their nodes. The rows that it was grown
  // on are where growth left them.
  void start(const Skeleton& skeleton, const LeafOrder& order, ThreadPool& pool);

  // Sends the other rows of a block down the tree and sorts them all. Blocks may be assigned from
  // different threads at the same time.
  void assign(std::size_t block);

  std::size_t n_blocks() const { return n_blocks_; }
  std::size_t n_leaves() const { return leaf_nodes_.size(); }
  std::size_t leaf_node(std::size_t leaf) const { return leaf_nodes_[leaf]; }
  std::uint32_t leaf_of_node(std::size_t node) const { return leaf_of_node_[node]; }
  std::size_t block_begin(std::size_t block) const;
  // The rows of a leaf that lie in a block.
  LeafRows rows(std::size_t block, std::size_t leaf) const;
  // All rows of a leaf, once every block is assigned.
  std::size_t n_rows(std::size_t leaf) const {
    std::size_t n = 0;
    for (std::size_t block = 0; block < n_blocks_; ++block) n += rows(block, leaf).n;
    return n;
  }
  // Where growth left the rows of a leaf, in the order of the ring, if they are all of its rows
  // and side by side.
  const NodeRows* rows_together(std::size_t leaf) const { return together_[leaf]; }
  // Where the first of them stands when the rows of each block are sorted by leaf.
  std::size_t place(std::size_t block, std::size_t leaf) const {
    return block_begin(block) + leaf_starts_[block * (n_leaves() + 1) + leaf];
  }

  // The leaf of every row of the data set.
  std::span<const std::uint16_t> leaf_of_row() const { return leaf_of_row_; }

 private:
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
  std::vector<std::uint16_t> sorted_rows_;
  std::vector<std::uint32_t> leaf_starts_;  // [block][leaf + 1]
};

}  // namespace plboost
