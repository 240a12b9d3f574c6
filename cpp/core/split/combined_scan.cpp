#include "core/split/combined_scan.hpp"

#include "core/kernels/kernels.hpp"
#include "core/split/child_fit.hpp"
#include "core/split/thresholds.hpp"

namespace plboost {
namespace {

// Turns statistics per bin into sums around the node's means. They are taken from this feature's
// own bins, so that node and children carry the same rounding and it cancels in the gain.
class CentredBins {
 public:
  CentredBins(const float* bins, const ScannedFeature& feature) : bins_(bins), feature_(feature) {
    double h = 0.0;
    double hz = 0.0;
    double hx = 0.0;
    for (int code = 0; code <= feature.n_bins(); ++code) {
      h += at(code, kH);
      hz += at(code, kHZ);
      hx += at(code, kH) * feature.value(code);
    }
    if (h > 0.0) {
      centre_z_ = hz / h;
      centre_x_ = hx / h;
    }
  }

  double centre_z() const { return centre_z_; }
  double centre_x() const { return centre_x_; }

  ChildSums operator()(int code) const {
    const double g = at(code, kG);
    const double h = at(code, kH);
    const double hz = at(code, kHZ) - centre_z_ * h;
    const double hzz = at(code, kHZZ) - centre_z_ * (at(code, kHZ) + hz);
    const double x = feature_.value(code) - centre_x_;
    return {at(code, kW), g, h, at(code, kGZ) - centre_z_ * g, hz, hzz, x};
  }

 private:
  double at(int code, std::size_t lane) const {
    return static_cast<double>(bins_[static_cast<std::size_t>(code) * kLanes + lane]);
  }

  const float* bins_;
  const ScannedFeature& feature_;
  double centre_z_ = 0.0;
  double centre_x_ = 0.0;
};

ChildColumns columns_of(const ScannedFeature& feature, const NodeModel& model,
                        const SplitOptions& options, const RidgeOptions& ridge) {
  ChildColumns columns;
  columns.z = !model.regressors.empty();
  columns.x = brings_column(feature, model, options);
  columns.first =
      options.fitting == Fitting::kAdditive ? FirstColumn::kFixedAtOne : FirstColumn::kFree;
  columns.ridge_z = path_ridge(model, columns.first, ridge);
  columns.ridge_x = feature_ridge(*feature.bins, ridge);
  return columns;
}

ChildModel child_model(const ChildFit& fit, const ChildSums& sums, const ChildColumns& columns) {
  const double mean_z = columns.centre_z + sums.hz() / sums.h();
  const double mean_x = columns.centre_x + sums.hx() / sums.h();
  return {.slope_z = fit.slope_z,
          .slope_x = fit.slope_x,
          .shift = fit.slope_z * mean_z + fit.slope_x * mean_x,
          .takes_column = fit.keeps_x};
}

template <typename Fit>
void set_children(Candidate& candidate, Fit& fit, const ChildSums& left, const ChildSums& right,
                  const ChildColumns& columns) {
  candidate.redundant = !columns.x;
  candidate.left.mean_z = columns.centre_z + left.hz() / left.h();
  candidate.right.mean_z = columns.centre_z + right.hz() / right.h();
  if (candidate.redundant) return;
  candidate.left = child_model(fit(left, columns), left, columns);
  candidate.right = child_model(fit(right, columns), right, columns);
}

template <typename Fit>
Candidate scan(Fit fit, const CentredBins& bins, int n_bins, const ChildColumns& columns,
               const SplitOptions& options) {
  ChildSums total = bins(0);
  for (int code = 1; code <= n_bins; ++code) total += bins(code);
  if (!(total.h() > 0.0)) return {};
  ChildColumns own = columns;
  own.x = false;
  BestCut best(fit(total, own).loss, options);
  ChildSums best_left;
  ChildSums best_right;
  for_each_cut(
      n_bins, total, bins, options,
      [&](const ChildSums& left, const ChildSums& right, int threshold, bool missing_left) {
        const double loss = fit(left, columns).loss + fit(right, columns).loss;
        best.offer(loss, left, right, best_left, best_right, threshold, missing_left);
      });
  Candidate candidate = best.candidate();
  if (candidate.valid) set_children(candidate, fit, best_left, best_right, columns);
  return candidate;
}

Candidate scan_by_kernel(const float* bins, const ScannedFeature& feature, ChildColumns columns,
                         const SplitOptions& options, const RidgeOptions& ridge) {
  const ScanProblem problem{.bins = bins,
                            .values = feature.values.data(),
                            .n_bins = feature.values.size(),
                            .centre_z = columns.centre_z,
                            .with_z = columns.z,
                            .z_fixed = columns.first == FirstColumn::kFixedAtOne,
                            .with_x = columns.x,
                            .l2 = ridge.l2,
                            .ridge_z = columns.ridge_z.own,
                            .ridge_x = columns.ridge_x.own,
                            .min_weight = options.min_samples_leaf,
                            .min_hessian = options.min_hessian,
                            .min_gain = options.min_gain,
                            .gain_floor = kGainFloor};
  ScanResult result;
  kernels().scan(problem, result);
  Candidate candidate;
  if (!result.valid) return candidate;
  candidate.valid = true;
  candidate.gain = result.gain;
  candidate.threshold = static_cast<int>(result.threshold);
  candidate.missing_left = result.missing_left;
  columns.centre_x = result.centre_x;
  const ChildSums left(result.left);
  ChildSums right(result.total);
  right -= left;
  CentredChildFit fit(ridge);
  set_children(candidate, fit, left, right, columns);
  return candidate;
}

}  // namespace

bool brings_column(const ScannedFeature& feature, const NodeModel& model,
                   const SplitOptions& options) {
  if (!feature.bins->can_regress() || options.regressors == RegressorChoice::kAll) return false;
  if (model.has(feature.feature)) return options.repeated == Repeated::kRefit;
  return model.regressors.size() < options.max_regressors;
}

Candidate scan_combined(const float* bins, const ScannedFeature& feature, const NodeModel& model,
                        const SplitOptions& options, const RidgeOptions& ridge) {
  if (ridge.penalty != Penalty::kCentred) {
    return scan_combined_plain(bins, feature, model, options, ridge);
  }
  ChildColumns columns = columns_of(feature, model, options, ridge);
  columns.centre_z = model.mean;
  Candidate candidate = scan_by_kernel(bins, feature, columns, options, ridge);
  candidate.feature = feature.feature;
  return candidate;
}

Candidate scan_combined_plain(const float* bins, const ScannedFeature& feature,
                              const NodeModel& model, const SplitOptions& options,
                              const RidgeOptions& ridge) {
  const CentredBins centred(bins, feature);
  ChildColumns columns = columns_of(feature, model, options, ridge);
  columns.centre_z = centred.centre_z();
  columns.centre_x = centred.centre_x();
  const int n_bins = feature.n_bins();
  Candidate candidate = ridge.penalty == Penalty::kCentred
                            ? scan(CentredChildFit(ridge), centred, n_bins, columns, options)
                            : scan(GeneralChildFit(ridge), centred, n_bins, columns, options);
  candidate.feature = feature.feature;
  return candidate;
}

double node_slope(const float* bins, const ScannedFeature& feature, const NodeModel& model,
                  const SplitOptions& options, const RidgeOptions& ridge) {
  if (model.regressors.empty()) return 0.0;
  const CentredBins centred(bins, feature);
  ChildSums total = centred(0);
  for (int code = 1; code <= feature.n_bins(); ++code) total += centred(code);
  if (!(total.h() > 0.0)) return 0.0;
  ChildColumns own = columns_of(feature, model, options, ridge);
  own.x = false;
  own.centre_z = centred.centre_z();
  return ridge.penalty == Penalty::kCentred ? CentredChildFit(ridge)(total, own).slope_z
                                            : GeneralChildFit(ridge)(total, own).slope_z;
}

}  // namespace plboost
