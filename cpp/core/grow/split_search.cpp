#include "core/grow/split_search.hpp"

#include <algorithm>

#include "core/split/category_scan.hpp"
#include "core/split/combined_scan.hpp"

namespace plboost {
namespace {

// Below this many rows a child's histogram is built sooner than subtracted.
constexpr std::size_t kSubtractedRows = 2048;
// Relative; float32 sums carry about 1e-7.
constexpr double kEqualGains = 1e-5;
constexpr std::size_t kCountedRows = std::size_t{1} << 24;
// Memory for histograms that wait for their children.
constexpr std::size_t kPoolBytes = std::size_t{64} << 20;

std::vector<SlotCodes> slot_codes(const Dataset& dataset) {
  std::vector<SlotCodes> slots(dataset.n_slots());
  for (const CodedFeature& feature : dataset.features()) {
    slots[feature.slot].n_codes = feature.n_codes;
    if (feature.can_join()) {
      slots[feature.slot].n_bins = static_cast<std::size_t>(feature.bins->n_bins());
      slots[feature.slot].highest_level = feature.highest_level;
    }
  }
  return slots;
}

// The fewest rows of a node that keeps its histogram. Such nodes do not overlap, so their number,
// and with it the memory, is bounded by the rows of the data set.
std::size_t kept_rows(const Dataset& dataset) {
  const std::size_t bytes = std::max<std::size_t>(1, dataset.n_groups() * kGroupFloats * 4);
  const std::size_t most = std::max<std::size_t>(1, kPoolBytes / bytes);
  return std::max(2 * kSubtractedRows, dataset.n_rows() / most);
}

}  // namespace

SplitSearch::Workspace::Workspace(const SplitSearch& search)
    : builder(search.slots_), marginal(kSlotFloats) {
  const std::size_t floats = search.dataset_.n_groups() * kGroupFloats;
  for (auto& histogram : histograms) histogram = AlignedBuffer<float>(floats);
}

SplitSearch::SplitSearch(const Dataset& dataset, const LeafOrder& order, const FeatureRules& rules,
                         const GrowOptions& options, int n_workers)
    : dataset_(dataset),
      order_(order),
      rules_(rules),
      options_(options),
      slots_(slot_codes(dataset)),
      kept_rows_(kept_rows(dataset)),
      pool_(dataset.n_groups() * kGroupFloats),
      corrective_(dataset, order, rules, slots_, n_workers) {
  for (int worker = 0; worker < n_workers; ++worker) workspaces_.emplace_back(*this);
}

void SplitSearch::search(GrowingLeaf& leaf, std::size_t worker, ThreadPool* pool) {
  Job job;
  job.leaves[0] = &leaf;
  job.n_leaves = 1;
  leaf.searched_weight = order_.weight(leaf.rows, n_searched(leaf));
  if (keeps_histogram(leaf)) leaf.histogram = pool_.take();
  run(job, worker, pool);
}

void SplitSearch::search_children(GrowingLeaf& parent, std::size_t worker, ThreadPool* pool) {
  Job job;
  job.leaves = {parent.left, parent.right};
  job.n_leaves = 2;
  if (job.leaves[0]->rows.size() < job.leaves[1]->rows.size()) {
    std::swap(job.leaves[0], job.leaves[1]);
  }
  for (GrowingLeaf* leaf : job.leaves) {
    leaf->searched_weight = order_.weight(leaf->rows, n_searched(*leaf));
  }
  GrowingLeaf& larger = *job.leaves[0];
  GrowingLeaf& smaller = *job.leaves[1];
  // A node that was searched in part has no histogram of the whole to subtract from.
  const bool whole = n_searched(parent) == parent.rows.size();
  HistogramPool::Handle inherited = std::move(parent.histogram);
  if (inherited && whole && larger.rows.size() >= kSubtractedRows && !joins_bins(larger)) {
    job.parent = inherited.data();
    larger.histogram = std::move(inherited);
  } else if (keeps_histogram(larger)) {
    larger.histogram = pool_.take();
  }
  if (keeps_histogram(smaller)) smaller.histogram = pool_.take();
  run(job, worker, pool);
  if (!keeps_histogram(larger)) larger.histogram = {};
}

void SplitSearch::run(Job& job, std::size_t worker, ThreadPool* pool) {
  for (std::size_t i = 0; i < job.n_leaves; ++i) {
    std::vector<Candidate>& candidates = workspaces_[worker].candidates[i];
    candidates.assign(dataset_.features().size(), Candidate{});
    job.candidates[i] = candidates.data();
  }
  if (options_.split.fitting == Fitting::kFullyCorrective) {
    search_corrective(job, worker, pool);
  } else if (pool == nullptr) {
    search_groups(job, {0, job.n_leaves}, {0, dataset_.n_groups()}, workspaces_[worker]);
  } else {
    share_groups(job, *pool);
  }
  choose_best(job);
}

// One range of groups for each worker: a range expands the statistics of all rows.
void SplitSearch::share_groups(const Job& job, ThreadPool& pool) {
  const std::size_t n_groups = dataset_.n_groups();
  const std::size_t n_ranges = std::min(n_groups, static_cast<std::size_t>(pool.size()));
  const std::size_t n_parts = job.parent == nullptr ? job.n_leaves : 1;
  pool.run(n_parts * n_ranges, [&](std::size_t chunk, std::size_t worker) {
    const std::size_t leaf = chunk % n_parts;
    // Ranges may differ by a group: who has the longer one of a leaf has the shorter of the other.
    const std::size_t range = (chunk / n_parts + leaf) % n_ranges;
    const LeafRange leaves = n_parts == 1 ? LeafRange{0, job.n_leaves} : LeafRange{leaf, leaf + 1};
    const GroupRange groups{range * n_groups / n_ranges, (range + 1) * n_groups / n_ranges};
    for (std::size_t i = leaves.first; i < leaves.last && n_ranges > 1; ++i) {
      const GrowingLeaf& searched = *job.leaves[i];
      order_.take_lanes(searched.rows, n_searched(searched), groups.first, groups.last);
    }
    search_groups(job, leaves, groups, workspaces_[worker]);
  });
}

void SplitSearch::search_groups(const Job& job, LeafRange leaves, GroupRange groups,
                                Workspace& workspace) {
  const auto histogram_of = [&](std::size_t i) {
    GrowingLeaf& leaf = *job.leaves[i];
    return leaf.histogram ? leaf.histogram.data() : workspace.histograms[i].data();
  };
  // The smaller child comes first: the larger one may be what is left of the parent.
  for (std::size_t i = leaves.last; i-- > leaves.first;) {
    GrowingLeaf& leaf = *job.leaves[i];
    const HistogramRows rows = order_.rows(leaf.rows, n_searched(leaf));
    float* histogram = histogram_of(i);
    float* from_first = histogram + groups.first * kGroupFloats;
    const bool inherits = job.parent != nullptr;
    if (inherits && i == 1) {
      workspace.builder.build(rows, groups, {}, from_first);
      workspace.builder.subtract(groups, histogram, histogram_of(0));
    }
    if (!can_be_cut(leaf)) continue;
    workspace.views.clear();
    const bool joins = joins_bins(leaf);
    if (joins) workspace.builder.choose_views(rows, groups, joins_of(leaf), workspace.views);
    if (joins || !inherits) workspace.builder.build(rows, groups, workspace.views, from_first);
    scan_groups(leaf, groups, histogram, workspace, job.candidates[i]);
  }
}

void SplitSearch::scan_groups(const GrowingLeaf& leaf, GroupRange groups, const float* histogram,
                              Workspace& workspace, Candidate* candidates) const {
  SplitOptions split = options_.split;
  RidgeOptions ridge = options_.ridge;
  const double part = part_searched(leaf);
  split.min_gain *= part;
  ridge.l2 *= part;
  ridge.l2_slopes *= part;
  const std::size_t last_slot = std::min(groups.last * kGroupSlots, dataset_.n_slots());
  for (std::size_t slot = groups.first * kGroupSlots; slot < last_slot; ++slot) {
    const float* joint = histogram + slot * kSlotFloats;
    find_occupied(joint, dataset_.shared_codes(slot), kN, workspace.occupied);
    for (const std::size_t f : dataset_.slot_features(slot)) {
      if (!leaf.may_cut(f)) continue;
      const CodedFeature& feature = dataset_.features()[f];
      const BinView view = feature.view(workspace.views);
      const float* bins = joint;
      if (feature.shares_slot) {
        float* marginal = workspace.marginal.data();
        const auto n_bins = static_cast<std::size_t>(feature.bins->n_codes());
        marginalise_histogram(joint, workspace.occupied, feature.bin_of_code.data(), n_bins,
                              marginal);
        bins = marginal;
      }
      // A feature that may not be a line brings no column.
      split.max_regressors = rules_.may_regress(f) ? options_.split.max_regressors : 0;
      const auto scan_in_order = [&](const float* in_order, const ScannedFeature& ordered) {
        return scan(leaf, ordered, in_order, split, ridge);
      };
      candidates[f] = feature.bins->is_categorical
                          ? scan_categories(bins, seen(f, feature, view), leaf.model, split, ridge,
                                            workspace.categories, scan_in_order)
                          : scan_in_order(bins, seen(f, feature, view));
      candidates[f].gain /= part;
      candidates[f].threshold = view.last_bin(candidates[f].threshold, feature.bins->n_bins());
    }
  }
}

Candidate SplitSearch::scan(const GrowingLeaf& leaf, const ScannedFeature& feature,
                            const float* bins, const SplitOptions& split,
                            const RidgeOptions& ridge) const {
  if (rules_.any_signs()) {
    const ScanLimits limits = rules_.limits(feature.feature, leaf.model, leaf.bounds);
    if (limits.bind()) {
      return scan_limited(bins, feature, leaf.model, split, ridge, limits);
    }
  }
  return scan_combined(bins, feature, leaf.model, split, ridge);
}

// Among candidates that differ by rounding the first feature wins: columns that part the rows alike
// are told apart by their order, not by the last bits of their sums.
void SplitSearch::choose_best(const Job& job) const {
  const std::size_t n_features = dataset_.features().size();
  for (std::size_t i = 0; i < job.n_leaves; ++i) {
    const std::span<const Candidate> candidates(job.candidates[i], n_features);
    double largest = 0.0;
    for (const Candidate& candidate : candidates) {
      if (candidate.valid) largest = std::max(largest, candidate.gain);
    }
    const auto best = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
      return c.valid && c.gain >= largest * (1 - kEqualGains);
    });
    job.leaves[i]->best = best == candidates.end() ? Candidate{} : *best;
  }
}

bool SplitSearch::keeps_histogram(const GrowingLeaf& leaf) const {
  // Only where every split of the leaf will be redundant: z stays, and so do its sums. And only
  // while float32 counts rows exactly.
  const SplitOptions& split = options_.split;
  return split.fitting != Fitting::kFullyCorrective && split.repeated == Repeated::kRedundant &&
         leaf.model.regressors.size() >= split.max_regressors && leaf.rows.size() >= kept_rows_ &&
         leaf.rows.size() <= kCountedRows && n_searched(leaf) == leaf.rows.size() &&
         !joins_bins(leaf);
}

JoinRule SplitSearch::joins_of(const GrowingLeaf& leaf) const {
  return {leaf.searched_weight, options_.split.spacing()};
}

bool SplitSearch::joins_bins(const GrowingLeaf& leaf) const {
  return joins_of(leaf).level(kCodes - 1, kJoinLevels - 1) > 0;
}

bool SplitSearch::can_be_cut(const GrowingLeaf& leaf) const {
  // Less a rounding error of the weights' sums.
  const double least = 2 * options_.split.min_samples_leaf * (1 - kEqualGains);
  return leaf.searched_weight >= least;
}

std::size_t SplitSearch::n_searched(const GrowingLeaf& leaf) const {
  return options_.sample.node_rows(leaf.rows.size(), sampled_);
}

double SplitSearch::part_searched(const GrowingLeaf& leaf) const {
  const std::size_t n = leaf.rows.size();
  return n == 0 ? 1.0 : sampled_ * (static_cast<double>(n_searched(leaf)) / static_cast<double>(n));
}

void SplitSearch::search_corrective(const Job& job, std::size_t worker, ThreadPool* pool) {
  for (std::size_t i = 0; i < job.n_leaves; ++i) {
    const GrowingLeaf& leaf = *job.leaves[i];
    if (!can_be_cut(leaf)) continue;
    const double part = part_searched(leaf);
    CorrectiveNode node{leaf, n_searched(leaf), options_.split, options_.ridge, job.candidates[i]};
    node.split.min_gain *= part;
    node.ridge.l2 *= part;
    node.ridge.l2_slopes *= part;
    corrective_.search(node, worker, pool);
    for (std::size_t f = 0; f < dataset_.features().size(); ++f) node.candidates[f].gain /= part;
  }
}

}  // namespace plboost
