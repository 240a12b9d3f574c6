#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/aligned_buffer.hpp"
#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/corrective_search.hpp"
#include "core/grow/feature_rules.hpp"
#include "core/grow/growing_leaf.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/options.hpp"
#include "core/histogram/histogram.hpp"
#include "core/histogram/pool.hpp"
#include "core/split/category_scan.hpp"

namespace plboost {

// argmax over features and thresholds of SplitEval (paper Algorithm 1, line 5).
class SplitSearch {
 public:
  SplitSearch(const Dataset& dataset, const LeafOrder& order, const FeatureRules& rules,
              const GrowOptions& options, int n_workers);

  // sampled: which part of all rows the leaf order holds.
  void start_tree(double sampled) { sampled_ = sampled; }

  // Fills in `best` of a leaf, by one worker alone or, if a pool is given, by all.
  void search(GrowingLeaf& leaf, std::size_t worker, ThreadPool* pool);

  // The same for the two children of a leaf, one of which may be had by subtraction if the leaf has
  // kept its histogram.
  void search_children(GrowingLeaf& parent, std::size_t worker, ThreadPool* pool);

 private:
  // Memory of one worker.
  struct Workspace {
    explicit Workspace(const SplitSearch& search);
    HistogramBuilder builder;
    std::array<AlignedBuffer<float>, 2> histograms;
    std::array<std::vector<Candidate>, 2> candidates;  // by feature
    std::vector<BinView> views;                        // by slot; none: all bins, as they are
    std::vector<std::uint8_t> occupied;                // codes of a slot
    AlignedBuffer<float> marginal;
    OrderedCategories categories;
  };

  // What one search is about: one node, or the two children of a split.
  struct Job {
    std::array<GrowingLeaf*, 2> leaves{};
    std::size_t n_leaves = 0;
    float* parent = nullptr;  // subtract from this: it is the histogram of leaves[0], the larger,
                              // less leaves[1]'s
    std::array<Candidate*, 2> candidates{};
  };

  void run(Job& job, std::size_t worker, ThreadPool* pool);
  // Of job.leaves.
  struct LeafRange {
    std::size_t first, last;
  };
  void share_groups(const Job& job, ThreadPool& pool);
  void search_groups(const Job& job, LeafRange leaves, GroupRange groups, Workspace& workspace);
  void scan_groups(const GrowingLeaf& leaf, GroupRange groups, const float* histogram,
                   Workspace& workspace, Candidate* candidates) const;
  Candidate scan(const GrowingLeaf& leaf, const ScannedFeature& feature, const float* bins,
                 const SplitOptions& split, const RidgeOptions& ridge) const;
  void search_corrective(const Job& job, std::size_t worker, ThreadPool* pool);
  void choose_best(const Job& job) const;
  bool keeps_histogram(const GrowingLeaf& leaf) const;
  JoinRule joins_of(const GrowingLeaf& leaf) const;
  // Its rows are so few that bins may be joined.
  bool joins_bins(const GrowingLeaf& leaf) const;
  // Its rows are enough for two children.
  bool can_be_cut(const GrowingLeaf& leaf) const;
  std::size_t n_searched(const GrowingLeaf& leaf) const;
  // What part of the node's rows in the whole data set is searched: penalties shrink with it.
  double part_searched(const GrowingLeaf& leaf) const;

  const Dataset& dataset_;
  const LeafOrder& order_;
  const FeatureRules& rules_;
  const GrowOptions& options_;
  double sampled_ = 1.0;
  std::vector<SlotCodes> slots_;
  const std::size_t kept_rows_;  // the fewest of a node that keeps its histogram
  HistogramPool pool_;
  std::vector<Workspace> workspaces_;
  CorrectiveSearch corrective_;
};

}  // namespace plboost
