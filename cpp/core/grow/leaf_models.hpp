#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/confirmation.hpp"
#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/drawn_means.hpp"
#include "core/grow/feature_rules.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/leaf_renewal.hpp"
#include "core/grow/leaf_sums.hpp"
#include "core/grow/options.hpp"
#include "core/grow/skeleton.hpp"
#include "core/kernels/kernels.hpp"
#include "core/linear/leaf_fit.hpp"
#include "core/split/bounds.hpp"
#include "core/tree/tree.hpp"

namespace plboost {

// What rows say of a tree that it does not know of.
struct Judgement {
  Confirmation tree;
  Confirmation late_splits;
  Confirmation slopes;  // before they were drawn back
};

// What is confirmed of the slopes of all trees so far: by rows left out of their fits, and by rows
// that the trees do not know of.
struct SlopeRecord {
  Confirmation left_out;
  Confirmation unknown;
};

// Gives the leaves of a skeleton their models, from what the rows that the tree knows sum up to,
// and adds the outputs to the scores.
class LeafModelFitter {
 public:
  LeafModelFitter(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool);

  // The finished tree. Its leaves have no range yet: add_outputs sets it. Without a renewal, leaves
  // keep the constants of their fits. `slopes_so_far` is of the trees before it; what rows that are
  // left out say of this tree's is added.
  Tree fit(const Skeleton& skeleton, const Gradients& gradients, const LeafOrder& order,
           const std::optional<LeafRenewal>& renewal, SlopeRecord& slopes_so_far);

  // scores[row] += factor * output of the tree last fitted; then calls after(begin, end) for those
  // rows, whose gradients it may change. Sets the leaves' ranges. Returns what rows say of the tree
  // that it does not know of, by the gradients of all; null: nothing.
  Judgement add_outputs(Tree& tree, double factor, std::span<double> scores,
                        const Gradients* judges,
                        const std::function<void(std::size_t begin, std::size_t end)>& after);

  const LeafAssignment& assignment() const { return sums_.assignment(); }

 private:
  struct Range;  // of a leaf's outputs
  // What the rows of a leaf say that the tree does not know of.
  struct LeafJudgement {
    Confirmation outputs;
    Confirmation ones;  // of an output of 1
    Confirmation slopes;
  };

  void lay_out(const Skeleton& skeleton, const LeafOrder& order);
  LeafLine fit_line(std::size_t leaf, const NodeModel& model) const;
  void set_line(std::size_t leaf);
  void shrink_slopes(SlopeRecord& so_far);
  void draw_means();
  void judge(const Gradients& judges, const ShrunkLeaf& leaf, double mean, const LeafRows& rows,
             std::span<const double> outputs, LeafJudgement& sums) const;
  // parts: [chunk][leaf].
  Judgement summed_up(std::span<const LeafJudgement> parts,
                      std::span<const OutputSummary> outputs) const;
  std::vector<OutputSummary> output_summaries() const;
  // ranges: [chunk][leaf].
  Range range_of(std::size_t leaf, std::span<const Range> ranges) const;
  void set_ranges(Tree& tree, std::span<const Range> ranges) const;
  void renew_constants(const LeafRenewal& renewal);
  void bound_leaves(const Skeleton& skeleton);
  void bound_to_known_rows();
  Tree make_tree(const Skeleton& skeleton) const;

  const Dataset& dataset_;
  const GrowOptions& options_;
  ThreadPool& pool_;
  const FeatureRules rules_;
  LeafSums sums_;
  DrawnMeans drawn_means_;
  const Skeleton* skeleton_ = nullptr;  // of the tree last fitted
  std::vector<LeafTerm> terms_;         // of all leaves, one after another
  std::vector<std::size_t> first_term_;
  std::vector<LeafTerms> leaves_;
  std::vector<LeafLine> lines_;
  std::vector<double> believed_;  // part of their slopes
  std::vector<Bounds> bounds_;    // of their outputs; empty: none
  std::size_t n_columns_ = 0;     // the most that a leaf has
};

}  // namespace plboost
