#include "core/split/corrective_scan.hpp"

#include "core/linear/solver.hpp"
#include "core/split/combined_scan.hpp"

namespace plboost {
namespace {

// The feature's mean over the node's rows.
double centre_of(const CorrectiveBins& bins, const ScannedFeature& feature) {
  double h = 0.0;
  double hx = 0.0;
  for (int code = 0; code <= feature.n_bins(); ++code) {
    const auto at = static_cast<std::size_t>(code);
    const auto bin_h = static_cast<double>(bins.panels[at * kLanes + kWideH]);
    h += bin_h;
    hx += bin_h * feature.value(code);
  }
  return h > 0.0 ? hx / h : 0.0;
}

}  // namespace

Candidate scan_corrective(const CorrectiveBins& bins, const ScannedFeature& feature,
                          const NodeModel& model, const SplitOptions& options,
                          const RidgeOptions& ridge, std::vector<double>& scratch) {
  const std::size_t k = bins.centres.size();
  const double centre = centre_of(bins, feature);
  scratch.resize(2 * (k + 1) + wide_scratch(k));
  double* ridges = scratch.data();
  double* offsets = ridges + k + 1;
  for (std::size_t j = 0; j <= k; ++j) {
    const ColumnRidge column =
        feature_ridge(j < k ? *model.regressors[j].bins : *feature.bins, ridge);
    ridges[j] = column.own;
    offsets[j] = column.zero + (j < k ? bins.centres[j] : centre);
  }
  // A repeated feature has its column among the regressors already.
  const bool with_x = brings_column(feature, model, options) && !model.has(feature.feature);
  const WideScanProblem problem{.bins = bins.panels,
                                .panel_stride = bins.panel_stride,
                                .values = feature.values.data(),
                                .n_bins = feature.values.size(),
                                .centre = centre,
                                .n_regressors = k,
                                .with_x = with_x,
                                .l2 = ridge.l2,
                                .ridges = ridges,
                                .offsets = ridge.penalty == Penalty::kPaper ? offsets : nullptr,
                                .min_weight = options.min_samples_leaf,
                                .min_hessian = options.min_hessian,
                                .min_gain = options.min_gain,
                                .gain_floor = kGainFloor};
  WideScanResult result;
  kernels().scan_wide(problem, offsets + k + 1, result);
  Candidate candidate;
  candidate.feature = feature.feature;
  if (!result.valid) return candidate;
  candidate.valid = true;
  candidate.gain = result.gain;
  candidate.threshold = static_cast<int>(result.threshold);
  candidate.missing_left = result.missing_left;
  candidate.redundant = !with_x;
  candidate.left.takes_column = with_x && result.left_keeps_x;
  candidate.right.takes_column = with_x && result.right_keeps_x;
  return candidate;
}

std::vector<double> node_slopes(const CorrectiveBins& bins, std::size_t n_codes,
                                const NodeModel& model, const RidgeOptions& ridge) {
  const std::size_t k = bins.centres.size();
  std::vector<double> sums(wide_panels(k) * kLanes);
  for (std::size_t lane = 0; lane < sums.size(); ++lane) {
    const float* from = bins.panels + lane / kLanes * bins.panel_stride + lane % kLanes;
    for (std::size_t code = 0; code < n_codes; ++code) {
      sums[lane] += static_cast<double>(from[code * kLanes]);
    }
  }
  const double h = sums[kWideH];
  if (k == 0 || !(h > 0.0)) return std::vector<double>(k);
  const double* hx = sums.data() + kWideHX;
  const double* gx = hx + k;
  const double* hxx = gx + k;
  NormalEquations equations(k);
  equations.g = sums[kWideG];
  equations.h = h;
  for (std::size_t j = 0; j < k; ++j) {
    equations.means[j] = bins.centres[j] + hx[j] / h;
    equations.gradients[j] = gx[j] - equations.g * (hx[j] / h);
    equations.ridge[j] = feature_ridge(*model.regressors[j].bins, ridge);
    for (std::size_t l = 0; l <= j; ++l, ++hxx) {
      equations.moment(j, l) = equations.moment(l, j) = *hxx - hx[j] * (hx[l] / h);
      if (l == j) equations.spread[j] = *hxx;
    }
  }
  Solver solver(ridge, kSearchTolerance);
  solver.solve(equations);
  return {solver.slopes().begin(), solver.slopes().end()};
}

}  // namespace plboost
