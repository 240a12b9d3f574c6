#include "core/grow/split_search.hpp"

#include <algorithm>
#include <array>

#include "core/split/combined_scan.hpp"

namespace plboost {

SplitSearch::SplitSearch(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool)
    : dataset_(dataset),
      options_(options),
      pool_(pool),
      histograms_(static_cast<std::size_t>(pool.size())) {}

void SplitSearch::run(std::span<GrowingLeaf*> leaves, const LeafOrder& order) {
  const std::size_t n_slots = dataset_.n_slots();
  const std::size_t n_groups = dataset_.n_groups();
  candidates_.assign(leaves.size() * n_slots, Candidate{});
  if (options_.split.fitting == Fitting::kFullyCorrective) {
    run_corrective(leaves, order);
  } else {
    pool_.run(leaves.size() * n_groups, [&](std::size_t task, std::size_t worker) {
      const std::size_t leaf = task / n_groups;
      search_combined(*leaves[leaf], task % n_groups, order, histograms_[worker],
                      candidates_.data() + leaf * n_slots);
    });
  }
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    Candidate& best = leaves[leaf]->best = Candidate{};
    for (std::size_t slot = 0; slot < n_slots; ++slot) {
      const Candidate& candidate = candidates_[leaf * n_slots + slot];
      if (candidate.valid && (!best.valid || candidate.gain > best.gain)) best = candidate;
    }
  }
}

void SplitSearch::search_combined(const GrowingLeaf& leaf, std::size_t group,
                                  const LeafOrder& order, GroupHistogram& histogram,
                                  Candidate* candidates) const {
  const std::size_t first = group * kGroupFeatures;
  const std::size_t count = std::min(kGroupFeatures, dataset_.n_slots() - first);
  std::array<int, kGroupFeatures> n_codes{};
  for (std::size_t f = 0; f < count; ++f) n_codes[f] = dataset_.slot_bins(first + f).n_codes();
  histogram.build(order.codes(group, leaf.rows), order.statistics(leaf.rows), leaf.rows.size(),
                  n_codes);
  for (std::size_t f = 0; f < count; ++f) {
    candidates[first + f] = scan_combined(histogram.feature(f), regressor(first + f), leaf.model,
                                          options_.split, options_.ridge);
  }
}

void SplitSearch::run_corrective(std::span<GrowingLeaf*> leaves, const LeafOrder& order) {
  const std::size_t n_slots = dataset_.n_slots();
  std::vector<CorrectiveRows> rows(leaves.size());
  pool_.run(leaves.size(), [&](std::size_t leaf, std::size_t) {
    rows[leaf] = corrective_rows(*leaves[leaf], order);
  });
  pool_.run(leaves.size() * n_slots, [&](std::size_t task, std::size_t) {
    const GrowingLeaf& leaf = *leaves[task / n_slots];
    const std::size_t slot = task % n_slots;
    candidates_[task] =
        scan_corrective(rows[task / n_slots], order.codes(slot / kGroupFeatures, leaf.rows),
                        8 * static_cast<unsigned>(slot % kGroupFeatures), regressor(slot),
                        leaf.model, options_.split, options_.ridge);
  });
}

CorrectiveRows SplitSearch::corrective_rows(const GrowingLeaf& leaf, const LeafOrder& order) const {
  const RowStatistics statistics = order.statistics(leaf.rows);
  const std::size_t n = leaf.rows.size();
  const std::size_t k = leaf.model.regressors.size();
  CorrectiveRows rows{.n = n, .g = statistics.g, .h = statistics.h, .w = statistics.w};
  rows.regressors.resize(n * k);
  rows.centres.resize(k);
  double h = 0.0;
  for (std::size_t i = 0; i < n; ++i) h += static_cast<double>(statistics.h[i]);
  for (std::size_t j = 0; j < k; ++j) {
    const auto [slot, bins] = leaf.model.regressors[j];
    const std::uint32_t* words = order.codes(slot / kGroupFeatures, leaf.rows);
    const unsigned shift = 8 * static_cast<unsigned>(slot % kGroupFeatures);
    double hx = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = static_cast<double>(bins->values[(words[i] >> shift) & 0xffU]);
      rows.regressors[i * k + j] = x;
      hx += static_cast<double>(statistics.h[i]) * x;
    }
    rows.centres[j] = h > 0.0 ? hx / h : 0.0;
    for (std::size_t i = 0; i < n; ++i) rows.regressors[i * k + j] -= rows.centres[j];
  }
  return rows;
}

}  // namespace plboost
