#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/aligned_buffer.hpp"
#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/options.hpp"
#include "core/grow/skeleton.hpp"
#include "core/kernels/kernels.hpp"
#include "core/tree/tree.hpp"

namespace plboost {

// Gives the leaves of a skeleton their models, from all rows of the data set, in two passes over
// its codes: one sends the rows down the tree and sums what the fits need, one adds the outputs to
// the scores. Rows are not moved.
class LeafModelFitter {
 public:
  LeafModelFitter(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool);

  // The finished tree. Its leaves have no range yet: add_outputs sets it.
  Tree fit(const Skeleton& skeleton, const Gradients& gradients);

  // scores[row] += factor * output of the tree last fitted; then calls after(begin, end) for those
  // rows. Sets the leaves' ranges.
  void add_outputs(Tree& tree, double factor, std::span<double> scores,
                   const std::function<void(std::size_t begin, std::size_t end)>& after);

  // Of every row of the data set, in the tree last fitted.
  std::span<const std::uint32_t> leaf_of_row() const { return leaf_of_row_; }

 private:
  struct Range {
    double low, high;
  };

  void lay_out(const Skeleton& skeleton);
  void number_groups(const Skeleton& skeleton);
  std::vector<RouteNode> route_nodes(const Skeleton& skeleton) const;
  void sum_chunk(std::size_t chunk, const Skeleton& skeleton, std::span<const RouteNode> nodes,
                 const Gradients& gradients);
  void reduce_moments();
  void fit_leaves(const Skeleton& skeleton);
  Tree make_tree(const Skeleton& skeleton) const;
  void copy_codes(std::size_t begin, std::size_t n, std::uint32_t* words) const;
  std::size_t leaf_size() const { return (n_columns_ + 2) * width_; }
  std::size_t chunk_begin(std::size_t chunk) const { return chunk * chunk_rows_; }
  std::size_t chunk_end(std::size_t chunk) const;

  const Dataset& dataset_;
  const GrowOptions& options_;
  ThreadPool& pool_;
  std::vector<float> weights_;  // by row; empty: all 1
  std::vector<std::uint32_t> leaf_of_row_;
  std::vector<std::size_t> leaf_nodes_;  // node of every leaf
  std::vector<std::uint32_t> leaf_of_node_;
  std::vector<std::size_t> used_groups_;  // that splits or regressors need, in the order of a block
  std::vector<std::size_t> place_of_group_;
  std::vector<LeafTerm> terms_;  // of all leaves, one after another
  std::vector<LeafTerms> leaves_;
  std::size_t n_columns_ = 0;  // the most that a leaf has
  std::size_t width_ = 8;
  std::size_t chunk_rows_ = 0;  // rows per task; does not depend on the number of threads
  std::size_t n_chunks_ = 0;
  std::vector<double> moments_;       // [chunk][leaf][n_columns + 2][width]
  std::vector<double> leaf_weights_;  // [chunk][leaf]
};

}  // namespace plboost
