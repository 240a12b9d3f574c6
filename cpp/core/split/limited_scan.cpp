#include "core/split/limited_scan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/linear/signed_fit.hpp"
#include "core/split/combined_scan.hpp"
#include "core/split/thresholds.hpp"

namespace plboost {
namespace {

// An output spread evenly reaches so many standard deviations from its mean.
constexpr double kReach = 1.7320508075688772;

// Sums over the rows of a child with any number of columns t_j:
// w, g, h | g t_j | h t_j | h t_j t_l for l <= j, row after row.
class ColumnSums {
 public:
  ColumnSums() = default;
  explicit ColumnSums(std::size_t n_columns)
      : n_(n_columns), sums_(3 + 2 * n_columns + n_columns * (n_columns + 1) / 2) {}

  double w() const { return sums_[0]; }
  double g() const { return sums_[1]; }
  double h() const { return sums_[2]; }
  double gt(std::size_t j) const { return sums_[3 + j]; }
  double ht(std::size_t j) const { return sums_[3 + n_ + j]; }
  double htt(std::size_t j, std::size_t l) const { return sums_[3 + 2 * n_ + j * (j + 1) / 2 + l]; }
  std::span<double> values() { return sums_; }

  ColumnSums& operator+=(const ColumnSums& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
    return *this;
  }
  ColumnSums& operator-=(const ColumnSums& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] -= other.sums_[i];
    return *this;
  }

 private:
  std::size_t n_ = 0;
  std::vector<double> sums_;
};

// Where the statistics of the node's own k columns lie among the lanes of a bin, in the order of
// ColumnSums.
struct BinLanes {
  const float* bins;
  std::size_t panel_stride;
  std::size_t k;
  std::vector<std::size_t> lanes;

  double at(int code, std::size_t i) const {
    return static_cast<double>(bins[lanes[i] / kLanes * panel_stride +
                                    static_cast<std::size_t>(code) * kLanes + lanes[i] % kLanes]);
  }
};

// What the scan is about, whichever way children are fitted.
struct Columns {
  std::vector<ColumnRidge> ridges;  // of the k columns, then of the feature
  std::vector<double> origins;      // what the stored columns were taken around
  std::vector<double> units;        // slope of a column -> slopes of standardised features
  std::vector<int> signs;
  bool with_x = false;
  bool combined = true;    // the first column is the path's linear part
  double own_slope = 0.0;  // the feature's slope in one unit of the first column
  FirstColumn first = FirstColumn::kFree;
};

class LimitedScan {
 public:
  LimitedScan(BinLanes lanes, const ScannedFeature& feature, Columns columns,
              const SplitOptions& options, const RidgeOptions& ridge, const ScanLimits& limits)
      : lanes_(std::move(lanes)),
        feature_(feature),
        columns_(std::move(columns)),
        options_(options),
        ridge_(ridge),
        limits_(limits),
        solver_(ridge, kSearchTolerance) {
    sum_bins();
  }

  Candidate best();

 private:
  // A child, or the node itself, with its fit.
  struct Fit {
    NormalEquations equations{0};
    std::vector<double> slopes;
    OutputSummary outputs;
    bool keeps_x = false;
  };

  void sum_bins();
  void fit(const ColumnSums& sums, std::size_t n_columns, Fit& fit);
  double loss_at(const Fit& fit, double mean, double shrinkage) const;
  double loss(const Fit& fit, const Bounds& bounds) const;
  ChildModel child_model(const ColumnSums& sums);

  BinLanes lanes_;
  const ScannedFeature& feature_;
  Columns columns_;
  const SplitOptions& options_;
  const RidgeOptions& ridge_;
  const ScanLimits& limits_;
  Solver solver_;
  std::vector<ColumnSums> sums_;  // by code, around the node's means
  std::vector<double> centres_;
  ColumnSums total_;
  ColumnSums best_left_;
  ColumnSums best_right_;
};

void LimitedScan::sum_bins() {
  const std::size_t k = lanes_.k;
  const int n_codes = feature_.n_bins() + 1;
  double h = 0.0;
  centres_.assign(k + 1, 0.0);
  for (int code = 0; code < n_codes; ++code) {
    h += lanes_.at(code, 2);
    for (std::size_t j = 0; j < k; ++j) centres_[j] += lanes_.at(code, 3 + k + j);
    centres_[k] += lanes_.at(code, 2) * feature_.value(code);
  }
  for (double& centre : centres_) centre = h > 0.0 ? centre / h : 0.0;
  total_ = ColumnSums(k + 1);
  for (int code = 0; code < n_codes; ++code) {
    const double g = lanes_.at(code, 1);
    const double bin_h = lanes_.at(code, 2);
    const double x = feature_.value(code) - centres_[k];
    ColumnSums sums(k + 1);
    const std::span<double> to = sums.values();
    to[0] = lanes_.at(code, 0);
    to[1] = g;
    to[2] = bin_h;
    std::size_t at = 3 + 2 * (k + 1);
    for (std::size_t j = 0; j < k; ++j) {
      const double hx = lanes_.at(code, 3 + k + j);
      to[3 + j] = lanes_.at(code, 3 + j) - centres_[j] * g;
      to[3 + k + 1 + j] = hx - centres_[j] * bin_h;
      for (std::size_t l = 0; l <= j; ++l) {
        const double hxx = lanes_.at(code, 3 + 2 * k + j * (j + 1) / 2 + l);
        const double around = lanes_.at(code, 3 + k + l) - centres_[l] * bin_h;
        to[at++] = hxx - centres_[l] * hx - centres_[j] * around;
      }
    }
    to[3 + k] = x * g;
    to[3 + k + 1 + k] = x * bin_h;
    for (std::size_t l = 0; l < k; ++l) to[at++] = x * to[3 + k + 1 + l];
    to[at] = x * x * bin_h;
    total_ += sums;
    sums_.push_back(std::move(sums));
  }
}

void LimitedScan::fit(const ColumnSums& sums, std::size_t n_columns, Fit& fit) {
  if (fit.equations.n_columns() != n_columns) fit.equations = NormalEquations(n_columns);
  NormalEquations& equations = fit.equations;
  const double h = sums.h();
  equations.g = sums.g();
  equations.h = h;
  for (std::size_t j = 0; j < n_columns; ++j) {
    equations.gradients[j] = sums.gt(j) - sums.g() * sums.ht(j) / h;
    equations.spread[j] = sums.htt(j, j);
    equations.means[j] = columns_.origins[j] + centres_[j] + sums.ht(j) / h;
    equations.ridge[j] = columns_.ridges[j];
    for (std::size_t l = 0; l <= j; ++l) {
      equations.moment(j, l) = equations.moment(l, j) =
          sums.htt(j, l) - sums.ht(j) * sums.ht(l) / h;
    }
  }
  const bool has_first = lanes_.k > 0 && n_columns > 0;
  solve_signed(solver_, equations, has_first ? columns_.first : FirstColumn::kFree,
               [&](std::size_t j, std::span<const double> slopes) {
                 double slope = slopes[j];
                 if (j == lanes_.k && j > 0) slope += columns_.own_slope * slopes[0];
                 return -columns_.signs[j] * columns_.units[j] * slope;
               });
  fit.slopes.assign(solver_.slopes().begin(), solver_.slopes().end());
  fit.keeps_x = n_columns > lanes_.k && !solver_.dropped(lanes_.k);
  double square = 0.0;
  for (std::size_t j = 0; j < n_columns; ++j) {
    for (std::size_t l = 0; l < n_columns; ++l) {
      square += fit.slopes[j] * equations.moment(j, l) * fit.slopes[l];
    }
  }
  fit.outputs = {h, solver_.mean(), square > 0.0 ? std::sqrt(square / h) : 0.0};
}

// The loss of section 3 at any mean, the fitted slopes taken `shrinkage` times.
double LimitedScan::loss_at(const Fit& fit, double mean, double shrinkage) const {
  const NormalEquations& equations = fit.equations;
  double loss = equations.g * mean + equations.h * mean * mean / 2;
  double intercept = mean;
  for (std::size_t j = 0; j < fit.slopes.size(); ++j) {
    const double slope = shrinkage * fit.slopes[j];
    loss += equations.gradients[j] * slope + equations.ridge[j].own * slope * slope / 2;
    for (std::size_t l = 0; l < fit.slopes.size(); ++l) {
      loss += slope * equations.moment(j, l) * shrinkage * fit.slopes[l] / 2;
    }
    if (ridge_.penalty == Penalty::kPaper) {
      intercept -= slope * (equations.means[j] + equations.ridge[j].zero);
    }
  }
  return loss + ridge_.l2 * intercept * intercept / 2;
}

double LimitedScan::loss(const Fit& fit, const Bounds& bounds) const {
  const double mean = bounds.clip(fit.outputs.mean);
  const double room = std::min(mean - bounds.low, bounds.high - mean);
  const double reach = kReach * fit.outputs.deviation;
  return loss_at(fit, mean, reach > room ? room / reach : 1.0);
}

Candidate LimitedScan::best() {
  if (!(total_.h() > 0.0)) return {};
  const std::size_t n_columns = lanes_.k + (columns_.with_x ? 1 : 0);
  const int n_bins = feature_.n_bins();
  Fit left_fit;
  Fit right_fit;
  fit(total_, lanes_.k, left_fit);
  BestCut best(loss(left_fit, limits_.bounds), options_);
  double best_bound = 0.0;
  int best_order = 0;
  const auto bin = [&](int code) -> const ColumnSums& {
    return sums_[static_cast<std::size_t>(code)];
  };
  for_each_cut(
      n_bins, total_, bin, options_,
      [&](const ColumnSums& left, const ColumnSums& right, int threshold, bool missing_left) {
        fit(left, n_columns, left_fit);
        fit(right, n_columns, right_fit);
        // Between values and missing ones there is no order.
        const int order = threshold + 1 == n_bins ? 0 : limits_.order;
        const Bounds& bounds = limits_.bounds;
        const double rise =
            bounds.clip(right_fit.outputs.mean) - bounds.clip(left_fit.outputs.mean);
        if (order * rise < 0.0) return;
        const double bound = dividing_bound(left_fit.outputs, right_fit.outputs, bounds);
        const double children = loss(left_fit, bounds.left_of(bound, order)) +
                                loss(right_fit, bounds.right_of(bound, order));
        const double before = best.candidate().gain;
        best.offer(children, left, right, best_left_, best_right_, threshold, missing_left);
        if (best.candidate().gain == before) return;
        best_bound = bound;
        best_order = order;
      });
  Candidate candidate = best.candidate();
  if (!candidate.valid) return candidate;
  candidate.redundant = !columns_.with_x;
  candidate.order = best_order;
  candidate.bound = best_bound;
  candidate.left = child_model(best_left_);
  candidate.right = child_model(best_right_);
  return candidate;
}

ChildModel LimitedScan::child_model(const ColumnSums& sums) {
  const std::size_t k = lanes_.k;
  const double mean_z = k > 0 ? centres_[0] + sums.ht(0) / sums.h() : 0.0;
  if (!columns_.with_x) return {.mean_z = mean_z};
  Fit fitted;
  fit(sums, k + 1, fitted);
  // With every slope solved anew a node keeps none.
  if (!columns_.combined) return {.takes_column = fitted.keeps_x};
  const double slope_z = k > 0 ? fitted.slopes[0] : 0.0;
  const double mean_x = centres_[k] + sums.ht(k) / sums.h();
  return {.slope_z = slope_z,
          .slope_x = fitted.slopes[k],
          .shift = slope_z * mean_z + fitted.slopes[k] * mean_x,
          .takes_column = fitted.keeps_x};
}

}  // namespace

bool ScanLimits::bind() const {
  return bounds.any() || order != 0 || sign != 0 ||
         std::any_of(signs.begin(), signs.end(), [](int each) { return each != 0; });
}

Candidate scan_limited(const float* bins, const ScannedFeature& feature, const NodeModel& model,
                       const SplitOptions& options, const RidgeOptions& ridge,
                       const ScanLimits& limits) {
  Columns columns;
  columns.with_x = brings_column(feature, model, options);
  columns.first =
      options.fitting == Fitting::kAdditive ? FirstColumn::kFixedAtOne : FirstColumn::kFree;
  BinLanes lanes{bins, 0, model.regressors.empty() ? std::size_t{0} : 1, {kW, kG, kH}};
  if (lanes.k > 0) {
    lanes.lanes.insert(lanes.lanes.end(), {kGZ, kHZ, kHZZ});
    double norm = 0.0;
    bool has_sign = false;
    for (std::size_t j = 0; j < model.slopes.size(); ++j) {
      norm += model.slopes[j] * model.slopes[j];
      has_sign = has_sign || limits.signs[j] != 0;
      if (model.regressors[j].feature == feature.feature) columns.own_slope = model.slopes[j];
    }
    columns.ridges.push_back(path_ridge(model, columns.first, ridge));
    columns.units.push_back(std::sqrt(norm));
    columns.signs.push_back(has_sign ? 1 : 0);
  }
  columns.ridges.push_back(feature_ridge(*feature.bins, ridge));
  columns.units.push_back(1.0);
  columns.signs.push_back(limits.sign);
  columns.origins.assign(lanes.k + 1, 0.0);
  Candidate candidate =
      LimitedScan(std::move(lanes), feature, std::move(columns), options, ridge, limits).best();
  candidate.feature = feature.feature;
  return candidate;
}

Candidate scan_limited(const CorrectiveBins& bins, const ScannedFeature& feature,
                       const NodeModel& model, const SplitOptions& options,
                       const RidgeOptions& ridge, const ScanLimits& limits) {
  const std::size_t k = bins.centres.size();
  BinLanes lanes{bins.panels, bins.panel_stride, k, {kWideW, kWideG, kWideH}};
  for (std::size_t j = 0; j < k; ++j) lanes.lanes.push_back(kWideHX + k + j);
  for (std::size_t j = 0; j < k; ++j) lanes.lanes.push_back(kWideHX + j);
  for (std::size_t i = 0; i < k * (k + 1) / 2; ++i) lanes.lanes.push_back(kWideHX + 2 * k + i);
  Columns columns;
  columns.combined = false;
  // A repeated feature has its column among the regressors already.
  columns.with_x = brings_column(feature, model, options) && !model.has(feature.feature);
  columns.units.assign(k + 1, 1.0);
  columns.origins.assign(bins.centres.begin(), bins.centres.end());
  columns.origins.push_back(0.0);
  columns.signs = limits.signs;
  columns.signs.push_back(limits.sign);
  for (const Regressor& each : model.regressors) {
    columns.ridges.push_back(feature_ridge(*each.bins, ridge));
  }
  columns.ridges.push_back(feature_ridge(*feature.bins, ridge));
  Candidate candidate =
      LimitedScan(std::move(lanes), feature, std::move(columns), options, ridge, limits).best();
  candidate.feature = feature.feature;
  return candidate;
}

}  // namespace plboost
