#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/frontier.hpp"
#include "core/grow/grown_leaf.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/options.hpp"
#include "core/grow/split_search.hpp"
#include "core/tree/tree.hpp"

namespace plboost {

// A finished tree and where its training rows lie.
struct GrownTree {
  Tree tree;
  std::vector<GrownLeaf> leaves;  // as in tree.leaves
};

// Gradients -> one tree (paper Algorithm 1). Keeps its memory from tree to tree; a GrownTree is
// good until the next one.
class Grower {
 public:
  // `check_interrupt` is called between splits and may throw to stop.
  Grower(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool,
         std::function<void()> check_interrupt);

  GrownTree grow(std::span<const float> g, std::span<const float> h);

  // scores[row] += factor * output of the tree for that training row.
  void add_outputs(const GrownTree& grown, double factor, std::span<double> scores) const;

  // The training row (as the data set numbers them) of each row of a leaf.
  std::span<const std::uint32_t> row_numbers(const GrownLeaf& leaf) const {
    return {order_.row_numbers(leaf.rows), leaf.rows.size()};
  }

 private:
  GrowingLeaf root(std::span<const float> g, std::span<const float> h);
  GrowingLeaf child(const GrowingLeaf& parent, std::size_t node, const NodeRows& rows,
                    const ChildModel& model) const;
  std::array<GrowingLeaf*, 2> split(std::size_t node);
  void search(std::span<GrowingLeaf*> leaves);
  GrownTree finish();

  const Dataset& dataset_;
  const GrowOptions options_;
  ThreadPool& pool_;
  const std::function<void()> check_interrupt_;
  LeafOrder order_;
  SplitSearch search_;
  Frontier frontier_;
  std::vector<Node> nodes_;
  std::vector<std::unique_ptr<GrowingLeaf>> growing_;  // by node; null once split
};

}  // namespace plboost
