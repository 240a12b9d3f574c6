#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/leaf_assignment.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/leaf_table.hpp"
#include "core/kernels/kernels.hpp"
#include "core/linear/leaf_fit.hpp"

namespace plboost {

// A leaf, and the part that is left of the slopes that were fitted.
struct ShrunkLeaf {
  std::size_t number;
  double part;
};

// What the rows that a tree knows say about its leaves: the moments that their fits need,
// how well the fits tell rows that are left out of them, and what the leaves give them.
//
// Where rows are few, each leaf has its rows fetched once for all of it. Those of large data would
// have to come from all over the memory: there the blocks of the assignment, whose codes stay in a
// cache, pass by once for each.
class LeafSums {
 public:
  LeafSums(const Dataset& dataset, ThreadPool& pool);

  // For a new tree.
  void start(const Skeleton& skeleton, const LeafOrder& order, const Gradients& gradients);

  // Called once for each leaf, from any thread, when its moments and its weight are known: sets its
  // line. Returns what it takes to leave rows out of it, if that is wanted.
  using Fit = std::function<std::optional<LeftOutFit>(std::size_t leaf)>;
  // The leaves are looked at again whenever outputs are asked for.
  void run(std::span<const LeafTerms> leaves, const Fit& fit);

  LeafMoments moments(std::size_t leaf) const {
    return {leaves_[leaf].n_terms, moments_.data() + leaf * leaf_size()};
  }
  // The sum of the rows' weights.
  double weight(std::size_t leaf) const { return moments_[(leaf + 1) * leaf_size() - 2]; }
  // The sum of their g^2 / w.
  double squares(std::size_t leaf) const { return moments_[(leaf + 1) * leaf_size() - 1]; }
  // The sums of kernels().add_left_out: [leaf][kLeftOutSums].
  std::span<const double> left_out() const {
    return std::span(left_out_).first(leaves_.size() * kLeftOutSums);
  }

  // What a leaf gives its rows in a block. The worker may change it; it lasts until the worker asks
  // for the next.
  std::span<double> outputs(std::size_t block, const ShrunkLeaf& leaf, std::size_t worker);

  // Where the leaf's rows can be read side by side, its terms must take their codes from there.
  const NodeRows* rows_together(std::size_t leaf) const {
    return by_leaf_ ? assignment_.rows_together(leaf) : nullptr;
  }

  // Which rows these are.
  const LeafAssignment& assignment() const { return assignment_; }
  // Chunks of blocks, one task each; they do not depend on the number of threads.
  std::size_t n_chunks() const { return n_chunks_; }
  // Calls each(block) for the blocks of a chunk.
  template <typename Each>
  void for_each_block(std::size_t chunk, Each&& each) const {
    const std::size_t last = std::min((chunk + 1) * chunk_blocks_, assignment_.n_blocks());
    for (std::size_t block = chunk * chunk_blocks_; block < last; ++block) each(block);
  }

  const Gradients& gradients() const { return gradients_; }
  // Of the data set; empty: all 1.
  std::span<const float> weights() const { return weights_; }

 private:
  void lay_out();
  std::vector<std::size_t> leaves_by_writer() const;
  // Takes over what the fit of a leaf reads of rows that lie together.
  static void take_leaf(const LeafTerms& leaf, const RowStatistics& statistics, std::size_t n);
  void fetch_leaf(std::size_t leaf, std::size_t n_rows, std::size_t worker);
  void run_leaf(std::size_t leaf, const Fit& fit, std::size_t worker);
  void run_chunks(const Fit& fit);
  // Calls add(leaf, rows, buffer, sums) for the leaves of all blocks, each chunk having sums of its
  // own, and adds these up in order. `before` is called with each block.
  template <typename Before, typename Add>
  void sum_chunks(std::vector<double>& sums, std::size_t n_sums, Before&& before, Add&& add);
  RowStatistics statistics() const;
  // Null: all 1.
  const float* hessians() const;
  double weight_of(const LeafRows& rows) const;
  std::size_t leaf_size() const { return moment_count(n_columns_) + 2; }

  const Dataset& dataset_;
  ThreadPool& pool_;
  const bool by_leaf_;
  const std::vector<float> weights_;
  LeafAssignment assignment_;
  LeafAssignment::Unit unit_ = LeafAssignment::Unit::kBlock;
  std::vector<LeafTableBuffer> buffers_;  // of the workers
  const LeafOrder* order_ = nullptr;
  Gradients gradients_;
  std::span<const LeafTerms> leaves_;
  std::size_t n_columns_ = 0;  // the most that a leaf has
  std::size_t n_chunks_ = 0;
  std::size_t chunk_blocks_ = 0;
  std::vector<double> moments_;   // [chunk][leaf][leaf_size], weight and squares behind the moments
  std::vector<double> left_out_;  // [chunk][leaf][kLeftOutSums]
  // Leaf by leaf: what the lines gave their rows as they were fitted, in the assignment's order,
  // and their intercepts then.
  std::vector<double> fitted_;
  std::vector<double> fitted_intercepts_;
};

}  // namespace plboost
