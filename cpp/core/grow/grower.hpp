#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/frontier.hpp"
#include "core/grow/growing_leaf.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/options.hpp"
#include "core/grow/skeleton.hpp"
#include "core/grow/split_search.hpp"

namespace plboost {

// Gradients -> the splits of one tree (paper Algorithm 1). Keeps its memory from tree to tree.
class Grower {
 public:
  // `check_interrupt` is called now and then from the calling thread and may throw to stop.
  Grower(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool,
         std::function<void()> check_interrupt);

  // Good until the next one. The tree sees the sample's rows, which begin at `first_row` of the
  // data set's random order.
  const Skeleton& grow(const Gradients& gradients, std::size_t first_row);

 private:
  void plant(const Gradients& gradients, std::size_t first_row);
  void expand(const Frontier::Entry& entry, std::size_t worker, ThreadPool* pool);
  void add_children(const Frontier::Entry& entry);
  void set_references(GrowingLeaf& leaf) const;
  void expand_large();
  void expand_rest();
  GrowingLeaf* assemble();

  const Dataset& dataset_;
  const GrowOptions options_;
  ThreadPool& pool_;
  const std::function<void()> check_interrupt_;
  const std::size_t n_rows_;  // of the sample
  LeafOrder order_;
  SplitSearch search_;
  Frontier frontier_;
  std::unique_ptr<GrowingLeaf> root_;
  Skeleton skeleton_;
  std::vector<std::vector<std::uint64_t>> goes_left_;  // scratch by worker
};

}  // namespace plboost
