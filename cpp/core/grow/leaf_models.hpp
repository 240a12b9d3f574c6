#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/confirmation.hpp"
#include "core/grow/feature_rules.hpp"
#include "core/grow/leaf_assignment.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/leaf_renewal.hpp"
#include "core/grow/options.hpp"
#include "core/grow/skeleton.hpp"
#include "core/kernels/kernels.hpp"
#include "core/linear/leaf_fit.hpp"
#include "core/split/bounds.hpp"
#include "core/tree/tree.hpp"

namespace plboost {

// Gives the leaves of a skeleton their models, from all rows of the data set, in three passes over
// its codes: one sends the rows down the tree and sums what the fits need, one tries what the
// slopes say of rows that are left out, one adds the outputs to the scores.
class LeafModelFitter {
 public:
  LeafModelFitter(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool);

  // The finished tree. Its leaves have no range yet: add_outputs sets it. Without a renewal, leaves
  // keep the constants of their fits.
  Tree fit(const Skeleton& skeleton, const Gradients& gradients, const LeafOrder& order,
           const std::optional<LeafRenewal>& renewal = std::nullopt);

  // scores[row] += factor * output of the tree last fitted; then calls after(begin, end) for those
  // rows, whose gradients it may change. Sets the leaves' ranges. Returns what the rows say of the
  // tree that its search has not seen, where the options ask for it.
  Confirmation add_outputs(Tree& tree, double factor, std::span<double> scores,
                           const std::function<void(std::size_t begin, std::size_t end)>& after);

  const LeafAssignment& assignment() const { return assignment_; }

 private:
  struct Range;  // of a leaf's outputs

  void lay_out(const Skeleton& skeleton);
  void sum_chunk(std::size_t chunk, const Gradients& gradients);
  void reduce_moments(std::size_t leaf);
  LeafLine fit_line(std::size_t leaf, const NodeModel& model) const;
  void set_line(std::size_t leaf);
  void shrink_slopes(const Gradients& gradients);
  Confirmation confirm(std::size_t leaf, const LeafRows& rows, const double* outputs) const;
  // ranges: [chunk][leaf].
  Range range_of(std::size_t leaf, std::span<const Range> ranges) const;
  void set_ranges(Tree& tree, std::span<const Range> ranges) const;
  void renew_constants(const LeafRenewal& renewal, const Gradients& gradients);
  void bound_leaves(const Skeleton& skeleton);
  void bound_to_known_rows();
  // Null: all 1.
  const float* hessians(const Gradients& gradients) const;
  // Of the rows that the present tree knows; empty: all 1.
  std::span<const float> row_weights(const Gradients& gradients) const {
    return gradients.w.empty() ? weights_ : gradients.w;
  }
  Tree make_tree(const Skeleton& skeleton) const;
  LeafMoments moments_of(std::size_t leaf) const {
    return {leaves_[leaf].n_terms, moments_.data() + leaf * leaf_size()};
  }
  std::size_t leaf_size() const { return moment_count(n_columns_); }
  // Calls each(block) for the blocks of a chunk.
  template <typename Each>
  void for_each_block(std::size_t chunk, Each&& each) const;
  // Calls each(leaf, rows) for the leaves that have rows in a block.
  template <typename Each>
  void for_each_leaf(std::size_t block, Each&& each) const;

  const Dataset& dataset_;
  const GrowOptions& options_;
  ThreadPool& pool_;
  const FeatureRules rules_;
  std::vector<float> weights_;  // by row; empty: all 1
  LeafAssignment assignment_;
  std::vector<LeafTerm> terms_;  // of all leaves, one after another
  std::vector<std::size_t> first_term_;
  std::vector<LeafTerms> leaves_;
  std::vector<LeafLine> lines_;
  std::vector<double> believed_;  // part of their slopes
  Gradients gradients_;           // that they were fitted to
  std::size_t first_seen_ = 0;    // by the search: a part of the ring of all rows
  std::size_t n_seen_ = 0;
  std::vector<Bounds> bounds_;  // of their outputs; empty: none
  std::size_t n_columns_ = 0;   // the most that a leaf has
  // Chunks of blocks, one task each; they do not depend on the number of threads.
  std::size_t n_chunks_ = 0;
  std::size_t chunk_blocks_ = 0;
  std::vector<double> moments_;       // [chunk][leaf][leaf_size]
  std::vector<double> leaf_weights_;  // [chunk][leaf]
};

}  // namespace plboost
