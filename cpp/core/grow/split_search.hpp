#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/frontier.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/options.hpp"
#include "core/histogram/group_histogram.hpp"
#include "core/split/corrective_scan.hpp"

namespace plboost {

// argmax over features and thresholds of SplitEval (paper Algorithm 1, line 5), for a few leaves at
// a time.
class SplitSearch {
 public:
  SplitSearch(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool);

  // Fills in `best` of each leaf.
  void run(std::span<GrowingLeaf*> leaves, const LeafOrder& order);

 private:
  void search_combined(const GrowingLeaf& leaf, std::size_t group, const LeafOrder& order,
                       GroupHistogram& histogram, Candidate* candidates) const;
  void run_corrective(std::span<GrowingLeaf*> leaves, const LeafOrder& order);
  CorrectiveRows corrective_rows(const GrowingLeaf& leaf, const LeafOrder& order) const;
  Regressor regressor(std::size_t slot) const { return {slot, &dataset_.slot_bins(slot)}; }

  const Dataset& dataset_;
  const GrowOptions& options_;
  ThreadPool& pool_;
  std::vector<GroupHistogram> histograms_;  // one per worker
  std::vector<Candidate> candidates_;       // [leaf][slot]
};

}  // namespace plboost
