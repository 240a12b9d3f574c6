#include "core/grow/corrective_search.hpp"

#include <algorithm>
#include <utility>

#include "core/split/corrective_scan.hpp"

namespace plboost {
namespace {

// Groups are searched together, which expands the statistics of a row once for all of them, as long
// as their histograms stay in the second-level cache.
constexpr std::size_t kTogetherFloats = std::size_t{1} << 18;

}  // namespace

CorrectiveSearch::CorrectiveSearch(const Dataset& dataset, const LeafOrder& order,
                                   const FeatureRules& rules, std::span<const SlotCodes> slots,
                                   int n_workers)
    : dataset_(dataset), order_(order), rules_(rules) {
  for (int worker = 0; worker < n_workers; ++worker) {
    workspaces_.push_back({.builder = HistogramBuilder(slots)});
  }
}

void CorrectiveSearch::search(const CorrectiveNode& node, std::size_t worker, ThreadPool* pool) {
  Columns& columns = workspaces_[worker].columns;
  fill_columns(node, columns);
  const std::size_t n_groups = dataset_.n_groups();
  if (pool != nullptr) {
    pool->run(n_groups, [&](std::size_t group, std::size_t each) {
      search_groups(node, columns, {group, group + 1}, workspaces_[each]);
    });
    return;
  }
  const std::size_t group_floats = columns.panels.size() * kGroupFloats;
  const std::size_t together = std::max<std::size_t>(1, kTogetherFloats / group_floats);
  for (std::size_t first = 0; first < n_groups; first += together) {
    search_groups(node, columns, {first, std::min(first + together, n_groups)},
                  workspaces_[worker]);
  }
}

void CorrectiveSearch::fill_columns(const CorrectiveNode& node, Columns& columns) const {
  const std::size_t n = node.n;
  const std::size_t k = node.leaf.model.regressors.size();
  const RowStatistics rows = order_.rows(node.leaf.rows, n).statistics;
  columns.values.resize((rows.h == nullptr ? k : 2 * k) * n);
  columns.centres.resize(k);
  const auto x = [&](std::size_t j) { return columns.values.data() + j * n; };
  const auto hx = [&](std::size_t j) { return rows.h == nullptr ? x(j) : x(k + j); };
  for (std::size_t j = 0; j < k; ++j) {
    const CodedFeature& feature = dataset_.features()[node.leaf.model.regressors[j].feature];
    const std::uint32_t* words = order_.codes(feature, node.leaf.rows);
    double sum_h = 0.0;
    double sum_hx = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      x(j)[i] = feature.values[(words[i] >> feature.shift()) & 0xffU];
      const double h = rows.h == nullptr ? 1.0 : static_cast<double>(rows.h[i]);
      sum_h += h;
      sum_hx += h * static_cast<double>(x(j)[i]);
    }
    // In float32, as the values are: a column that is constant in the node becomes exactly 0.
    const auto centre = static_cast<float>(sum_h > 0.0 ? sum_hx / sum_h : 0.0);
    columns.centres[j] = static_cast<double>(centre);
    for (std::size_t i = 0; i < n; ++i) x(j)[i] -= centre;
    if (rows.h == nullptr) continue;
    for (std::size_t i = 0; i < n; ++i) hx(j)[i] = rows.h[i] * x(j)[i];
  }
  std::vector<std::pair<const float*, const float*>> lanes{
      {rows.w, nullptr}, {rows.h, nullptr}, {rows.g, nullptr}};
  for (std::size_t j = 0; j < k; ++j) lanes.emplace_back(rows.h, x(j));
  for (std::size_t j = 0; j < k; ++j) lanes.emplace_back(rows.g, x(j));
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t l = 0; l <= j; ++l) lanes.emplace_back(hx(j), x(l));
  }
  columns.panels.assign(wide_panels(k), ProductLanes{});
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    columns.panels[i / kLanes].left[i % kLanes] = lanes[i].first;
    columns.panels[i / kLanes].right[i % kLanes] = lanes[i].second;
  }
}

void CorrectiveSearch::search_groups(const CorrectiveNode& node, const Columns& columns,
                                     GroupRange groups, Workspace& workspace) const {
  HistogramRows rows = order_.rows(node.leaf.rows, node.n);
  rows.products = columns.panels;
  const std::size_t n_panels = columns.panels.size();
  workspace.histogram.resize((groups.last - groups.first) * n_panels * kGroupFloats);
  const JoinRule joins{node.leaf.searched_weight, node.split.spacing()};
  workspace.builder.choose_views(rows, groups, joins, workspace.views);
  workspace.builder.build(rows, groups, workspace.views, workspace.histogram.data());
  const float* histogram = workspace.histogram.data();
  const std::size_t last_slot = std::min(groups.last * kGroupSlots, dataset_.n_slots());
  for (std::size_t slot = groups.first * kGroupSlots; slot < last_slot; ++slot) {
    const float* joint = histogram + (slot / kGroupSlots - groups.first) * n_panels * kGroupFloats +
                         slot % kGroupSlots * kSlotFloats;
    find_occupied(joint, dataset_.shared_codes(slot), kWideW, workspace.occupied);
    for (const std::size_t f : dataset_.slot_features(slot)) {
      if (!node.leaf.may_cut(f)) continue;
      const CodedFeature& feature = dataset_.features()[f];
      const BinView view = feature.view(workspace.views);
      CorrectiveBins bins{joint, kGroupFloats, columns.centres};
      if (feature.shares_slot) {
        workspace.marginal.resize(n_panels * kSlotFloats);
        for (std::size_t panel = 0; panel < n_panels; ++panel) {
          marginalise_histogram(joint + panel * kGroupFloats, workspace.occupied,
                                feature.bin_of_code.data(),
                                static_cast<std::size_t>(feature.bins->n_codes()),
                                workspace.marginal.data() + panel * kSlotFloats);
        }
        bins = {workspace.marginal.data(), kSlotFloats, columns.centres};
      }
      const auto scan_in_order = [&](const CorrectiveBins& in_order,
                                     const ScannedFeature& ordered) {
        return scan(node, ordered, in_order, workspace);
      };
      node.candidates[f] =
          feature.bins->is_categorical
              ? scan_categories(bins, seen(f, feature, view), node.leaf.model, node.split,
                                node.ridge, workspace.categories, scan_in_order)
              : scan(node, seen(f, feature, view), bins, workspace);
      node.candidates[f].threshold =
          view.last_bin(node.candidates[f].threshold, feature.bins->n_bins());
    }
  }
}

Candidate CorrectiveSearch::scan(const CorrectiveNode& node, const ScannedFeature& feature,
                                 const CorrectiveBins& bins, Workspace& workspace) const {
  const std::size_t f = feature.feature;
  const NodeModel& model = node.leaf.model;
  SplitOptions split = node.split;
  // A feature that may not be a line brings no column.
  if (!rules_.may_regress(f)) split.max_regressors = 0;
  if (rules_.any_signs()) {
    const ScanLimits limits = rules_.limits(f, model, node.leaf.bounds);
    if (limits.bind()) return scan_limited(bins, feature, model, split, node.ridge, limits);
  }
  return scan_corrective(bins, feature, model, split, node.ridge, workspace.scratch);
}

}  // namespace plboost
