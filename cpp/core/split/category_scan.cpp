#include "core/split/category_scan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/kernels/kernels.hpp"
#include "core/split/combined_scan.hpp"

namespace plboost {
namespace {

// What the order of categories is made from, by code; the missing value's last.
struct CategorySums {
  std::array<double, kCodes> w;
  std::array<double, kCodes> h;
  std::array<double, kCodes> residual;  // sum of g + h f, f the linear part of the node's own fit
};

// Categories of a node in the order of their gradient ratios. Those that weigh too little are not
// among them.
struct CategoryOrder {
  std::array<std::uint8_t, kCodes> codes;
  std::size_t n = 0;
  CategorySet ordered;
};

CategoryOrder order_of(const CategorySums& sums, std::size_t n_categories,
                       const SplitOptions& options) {
  double w = 0.0;
  double h = 0.0;
  double residual = 0.0;
  for (std::size_t code = 0; code <= n_categories; ++code) {
    w += sums.w[code];
    h += sums.h[code];
    residual += sums.residual[code];
  }
  CategoryOrder order;
  if (!(w > 0.0) || !(h > 0.0)) return order;
  struct Ratio {
    double value;
    std::uint8_t code;
  };
  std::array<Ratio, kCodes> ratios;
  // In terms of rows, so that the smoothing does not depend on the scale of the hessians.
  const double smoothing = options.category_smoothing * (h / w);
  for (std::size_t code = 0; code < n_categories; ++code) {
    const double size = sums.h[code] + smoothing;
    const bool enough = sums.w[code] > 0.0 && sums.w[code] >= options.min_samples_category;
    if (!enough || !(size > 0.0)) continue;
    const double around_mean = sums.residual[code] - residual * (sums.h[code] / h);
    ratios[order.n++] = {around_mean / size, static_cast<std::uint8_t>(code)};
    order.ordered.add(code);
  }
  std::sort(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(order.n),
            [](const Ratio& a, const Ratio& b) {
              return a.value != b.value ? a.value < b.value : a.code < b.code;
            });
  for (std::size_t i = 0; i < order.n; ++i) order.codes[i] = ratios[i].code;
  return order;
}

// Bins in order; behind them those of missing values and of all categories that have no place in
// the order, as one.
void arrange(const float* bins, std::size_t n_categories, const CategoryOrder& order, float* out) {
  const auto bin = [&](std::size_t code) { return bins + code * kLanes; };
  for (std::size_t i = 0; i < order.n; ++i) {
    std::copy_n(bin(order.codes[i]), kLanes, out + i * kLanes);
  }
  float* rest = out + order.n * kLanes;
  std::copy_n(bin(n_categories), kLanes, rest);
  for (std::size_t code = 0; code < n_categories; ++code) {
    if (order.ordered.has(code)) continue;
    for (std::size_t lane = 0; lane < kLanes; ++lane) rest[lane] += bin(code)[lane];
  }
}

ScannedFeature in_order_of(const ScannedFeature& feature, OrderedCategories& ordered,
                           const CategoryOrder& order) {
  ordered.values.resize(order.n);
  return {feature.feature, feature.bins, ordered.values};
}

// From a cut of the order to the set of codes on its left.
void set_left_bins(Candidate& candidate, const CategoryOrder& order) {
  candidate.is_categorical = true;
  if (!candidate.valid) return;
  CategorySet& left = candidate.left_bins;
  if (candidate.missing_left) left.fill();
  for (std::size_t i = 0; i < order.n; ++i) {
    if (static_cast<int>(i) <= candidate.threshold) {
      left.add(order.codes[i]);
    } else {
      left.remove(order.codes[i]);
    }
  }
}

}  // namespace

Candidate scan_categories(
    const float* bins, const ScannedFeature& feature, const NodeModel& model,
    const SplitOptions& options, const RidgeOptions& ridge, OrderedCategories& ordered,
    const std::function<Candidate(const float* in_order, const ScannedFeature& ordered)>& scan) {
  const auto n_categories = static_cast<std::size_t>(feature.bins->n_bins());
  const double slope = node_slope(bins, feature, model, options, ridge);
  CategorySums sums;
  for (std::size_t code = 0; code <= n_categories; ++code) {
    const float* bin = bins + code * kLanes;
    sums.w[code] = static_cast<double>(bin[kW]);
    sums.h[code] = static_cast<double>(bin[kH]);
    sums.residual[code] = static_cast<double>(bin[kG]) + slope * static_cast<double>(bin[kHZ]);
  }
  const CategoryOrder order = order_of(sums, n_categories, options);
  Candidate candidate;
  if (order.n > 0) {
    ordered.bins.resize((order.n + 1) * kLanes);
    arrange(bins, n_categories, order, ordered.bins.data());
    candidate = scan(ordered.bins.data(), in_order_of(feature, ordered, order));
  }
  set_left_bins(candidate, order);
  return candidate;
}

Candidate scan_categories(const CorrectiveBins& bins, const ScannedFeature& feature,
                          const NodeModel& model, const SplitOptions& options,
                          const RidgeOptions& ridge, OrderedCategories& ordered,
                          const std::function<Candidate(const CorrectiveBins& in_order,
                                                        const ScannedFeature& ordered)>& scan) {
  const auto n_categories = static_cast<std::size_t>(feature.bins->n_bins());
  const std::size_t k = bins.centres.size();
  const std::vector<double> slopes = node_slopes(bins, n_categories + 1, model, ridge);
  const auto at = [&](std::size_t code, std::size_t lane) {
    return static_cast<double>(
        bins.panels[lane / kLanes * bins.panel_stride + code * kLanes + lane % kLanes]);
  };
  CategorySums sums;
  for (std::size_t code = 0; code <= n_categories; ++code) {
    sums.w[code] = at(code, kWideW);
    sums.h[code] = at(code, kWideH);
    sums.residual[code] = at(code, kWideG);
    for (std::size_t j = 0; j < k; ++j) sums.residual[code] += slopes[j] * at(code, kWideHX + j);
  }
  const CategoryOrder order = order_of(sums, n_categories, options);
  Candidate candidate;
  if (order.n > 0) {
    const std::size_t panel_floats = (order.n + 1) * kLanes;
    const std::size_t n_panels = wide_panels(k);
    ordered.bins.resize(n_panels * panel_floats);
    for (std::size_t panel = 0; panel < n_panels; ++panel) {
      arrange(bins.panels + panel * bins.panel_stride, n_categories, order,
              ordered.bins.data() + panel * panel_floats);
    }
    const CorrectiveBins in_order{ordered.bins.data(), panel_floats, bins.centres};
    candidate = scan(in_order, in_order_of(feature, ordered, order));
  }
  candidate.feature = feature.feature;
  set_left_bins(candidate, order);
  return candidate;
}

}  // namespace plboost
