#include "core/split/combined_scan.hpp"

#include "core/split/child_fit.hpp"
#include "core/split/thresholds.hpp"

namespace plboost {
namespace {

// Turns statistics per bin into sums around the node's means. They are taken from this feature's
// own bins, so that node and children carry the same rounding and it cancels in the gain.
class CentredBins {
 public:
  CentredBins(std::span<const BinStatistics> bins, const FeatureBins& feature)
      : bins_(bins), feature_(feature) {
    double h = 0.0;
    double hz = 0.0;
    double hx = 0.0;
    for (int code = 0; code < feature.n_codes(); ++code) {
      const BinStatistics& bin = bins[static_cast<std::size_t>(code)];
      h += bin[kH];
      hz += bin[kHZ];
      hx += bin[kH] * value(code);
    }
    if (h > 0.0) {
      centre_z_ = hz / h;
      centre_x_ = hx / h;
    }
  }

  double centre_z() const { return centre_z_; }
  double centre_x() const { return centre_x_; }

  ChildSums operator()(int code) const {
    const BinStatistics& bin = bins_[static_cast<std::size_t>(code)];
    const double hz = bin[kHZ] - centre_z_ * bin[kH];
    const double hzz = bin[kHZZ] - centre_z_ * (bin[kHZ] + hz);
    return {bin[kW],
            bin[kG],
            bin[kH],
            bin[kGZ] - centre_z_ * bin[kG],
            hz,
            hzz,
            value(code) - centre_x_};
  }

 private:
  double value(int code) const {
    return static_cast<double>(feature_.values[static_cast<std::size_t>(code)]);
  }

  std::span<const BinStatistics> bins_;
  const FeatureBins& feature_;
  double centre_z_ = 0.0;
  double centre_x_ = 0.0;
};

ChildModel child_model(const ChildFit& fit, const ChildSums& sums, const ChildColumns& columns) {
  const double mean_z = columns.centre_z + sums.hz() / sums.h();
  const double mean_x = columns.centre_x + sums.hx() / sums.h();
  return {.slope_z = fit.slope_z,
          .slope_x = fit.slope_x,
          .shift = fit.slope_z * mean_z + fit.slope_x * mean_x,
          .takes_column = fit.keeps_x};
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
  candidate.redundant = !columns.x;
  if (candidate.valid && columns.x) {
    candidate.left = child_model(fit(best_left, columns), best_left, columns);
    candidate.right = child_model(fit(best_right, columns), best_right, columns);
  }
  candidate.left.weight = best_left.w();
  candidate.right.weight = best_right.w();
  return candidate;
}

}  // namespace

bool brings_column(const Regressor& feature, const NodeModel& model, const SplitOptions& options) {
  if (!feature.bins->can_regress() || options.regressors == RegressorChoice::kAll) return false;
  if (model.has(feature.slot)) return options.repeated == Repeated::kRefit;
  return model.regressors.size() < options.max_regressors;
}

Candidate scan_combined(std::span<const BinStatistics> bins, const Regressor& feature,
                        const NodeModel& model, const SplitOptions& options,
                        const RidgeOptions& ridge) {
  const CentredBins centred(bins, *feature.bins);
  ChildColumns columns;
  columns.z = !model.regressors.empty();
  columns.x = brings_column(feature, model, options);
  columns.first =
      options.fitting == Fitting::kAdditive ? FirstColumn::kFixedAtOne : FirstColumn::kFree;
  columns.ridge_z = path_ridge(model, columns.first, ridge);
  columns.ridge_x = feature_ridge(*feature.bins, ridge);
  columns.centre_z = centred.centre_z();
  columns.centre_x = centred.centre_x();
  const int n_bins = feature.bins->n_bins();
  Candidate candidate = ridge.penalty == Penalty::kCentred
                            ? scan(CentredChildFit(ridge), centred, n_bins, columns, options)
                            : scan(GeneralChildFit(ridge), centred, n_bins, columns, options);
  candidate.slot = feature.slot;
  return candidate;
}

}  // namespace plboost
