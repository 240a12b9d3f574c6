#include "core/split/corrective_scan.hpp"

#include "core/linear/solver.hpp"
#include "core/split/combined_scan.hpp"
#include "core/split/thresholds.hpp"

namespace plboost {
namespace {

// The sums of a child (or bin) with k regressors and the candidate feature q, everything around the
// node's means: w, g, h | g x_j | h x_j | h x_j x_l (l <= j) | g q, h q, h q q | h q x_j
class WideSums {
 public:
  explicit WideSums(std::size_t k) : k_(k), sums_(6 + 3 * k + k * (k + 1) / 2) {}

  double w() const { return sums_[0]; }
  double g() const { return sums_[1]; }
  double h() const { return sums_[2]; }
  double gx(std::size_t j) const { return sums_[3 + j]; }
  double hx(std::size_t j) const { return sums_[3 + k_ + j]; }
  double hxx(std::size_t j, std::size_t l) const { return sums_[at_hxx(j, l)]; }
  double gq() const { return sums_[at_q()]; }
  double hq() const { return sums_[at_q() + 1]; }
  double hqq() const { return sums_[at_q() + 2]; }
  double hqx(std::size_t j) const { return sums_[at_q() + 3 + j]; }

  void add_row(double w, double g, double h, const double* x) {
    sums_[0] += w;
    sums_[1] += g;
    sums_[2] += h;
    for (std::size_t j = 0; j < k_; ++j) {
      const double hx = h * x[j];
      sums_[3 + j] += g * x[j];
      sums_[3 + k_ + j] += hx;
      for (std::size_t l = 0; l <= j; ++l) sums_[at_hxx(j, l)] += hx * x[l];
    }
  }

  // The bin's rows all have this value of q.
  void set_feature(double value) {
    sums_[at_q()] = value * g();
    sums_[at_q() + 1] = value * h();
    sums_[at_q() + 2] = value * value * h();
    for (std::size_t j = 0; j < k_; ++j) sums_[at_q() + 3 + j] = value * hx(j);
  }

  WideSums& operator+=(const WideSums& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
    return *this;
  }
  WideSums& operator-=(const WideSums& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] -= other.sums_[i];
    return *this;
  }

 private:
  std::size_t at_hxx(std::size_t j, std::size_t l) const {
    return 3 + 2 * k_ + j * (j + 1) / 2 + l;
  }
  std::size_t at_q() const { return 3 + 2 * k_ + k_ * (k_ + 1) / 2; }

  std::size_t k_;
  std::vector<double> sums_;
};

// Fits a child, or the node, with the regressors and, where it brings its column, the feature
// behind them.
class CorrectiveFit {
 public:
  CorrectiveFit(const CorrectiveRows& rows, const Regressor& feature, const NodeModel& model,
                double feature_centre, const RidgeOptions& ridge)
      : solver_(ridge, kSearchTolerance),
        without_(rows.n_regressors()),
        with_(rows.n_regressors() + 1),
        centres_(rows.centres) {
    for (std::size_t j = 0; j < rows.n_regressors(); ++j) {
      without_.ridge[j] = with_.ridge[j] = feature_ridge(*model.regressors[j].bins, ridge);
    }
    with_.ridge.back() = feature_ridge(*feature.bins, ridge);
    centres_.push_back(feature_centre);
  }

  double loss(const WideSums& sums, bool with_feature) {
    NormalEquations& equations = with_feature ? with_ : without_;
    const std::size_t k = without_.n_columns();
    equations.g = sums.g();
    equations.h = sums.h();
    for (std::size_t j = 0; j < k; ++j) {
      set_column(equations, j, sums.gx(j), sums.hx(j), sums);
      equations.spread[j] = sums.hxx(j, j);
      for (std::size_t l = 0; l <= j; ++l) {
        set_moment(equations, j, l, sums.hxx(j, l) - sums.hx(j) * sums.hx(l) / sums.h());
      }
    }
    if (with_feature) {
      set_column(equations, k, sums.gq(), sums.hq(), sums);
      equations.spread[k] = sums.hqq();
      set_moment(equations, k, k, sums.hqq() - sums.hq() * sums.hq() / sums.h());
      for (std::size_t j = 0; j < k; ++j) {
        set_moment(equations, k, j, sums.hqx(j) - sums.hq() * sums.hx(j) / sums.h());
      }
    }
    return solver_.solve(equations);
  }

  bool keeps_feature(const WideSums& sums) {
    loss(sums, true);
    return !solver_.dropped(without_.n_columns());
  }

 private:
  void set_column(NormalEquations& equations, std::size_t j, double gt, double ht,
                  const WideSums& sums) {
    equations.gradients[j] = gt - sums.g() * ht / sums.h();
    equations.means[j] = centres_[j] + ht / sums.h();
  }
  static void set_moment(NormalEquations& equations, std::size_t j, std::size_t l, double moment) {
    equations.moment(j, l) = equations.moment(l, j) = moment;
  }

  Solver solver_;
  NormalEquations without_;
  NormalEquations with_;
  std::vector<double> centres_;
};

// A missing lane is 1 in every row.
double at(const float* lane, std::size_t row) {
  return lane == nullptr ? 1.0 : static_cast<double>(lane[row]);
}

double value_of(const FeatureBins& bins, std::size_t code) {
  return static_cast<double>(bins.values[code]);
}

// Statistics per code, around the node's means; the feature's own mean is returned.
double sum_bins(const CorrectiveRows& rows, const FeatureCodes& codes, const FeatureBins& bins,
                std::vector<WideSums>& sums) {
  const std::size_t k = rows.n_regressors();
  for (std::size_t i = 0; i < rows.n; ++i) {
    sums[codes.bin(i)].add_row(at(rows.statistics.w, i), at(rows.statistics.g, i),
                               at(rows.statistics.h, i), rows.regressors.data() + i * k);
  }
  double h = 0.0;
  double hq = 0.0;
  for (std::size_t code = 0; code < sums.size(); ++code) {
    h += sums[code].h();
    hq += sums[code].h() * value_of(bins, code);
  }
  const double centre = h > 0.0 ? hq / h : 0.0;
  for (std::size_t code = 0; code < sums.size(); ++code) {
    sums[code].set_feature(value_of(bins, code) - centre);
  }
  return centre;
}

}  // namespace

Candidate scan_corrective(const CorrectiveRows& rows, const FeatureCodes& codes,
                          const Regressor& feature, const NodeModel& model,
                          const SplitOptions& options, const RidgeOptions& ridge) {
  const FeatureBins& bins = *feature.bins;
  const std::size_t k = rows.n_regressors();
  std::vector<WideSums> sums(static_cast<std::size_t>(bins.n_codes()), WideSums(k));
  const double centre = sum_bins(rows, codes, bins, sums);
  WideSums total(k);
  for (const WideSums& bin : sums) total += bin;
  if (!(total.h() > 0.0)) return {};
  // A repeated feature has its column among the regressors already.
  const bool with_feature = brings_column(feature, model, options) && !model.has(feature.feature);
  CorrectiveFit fit(rows, feature, model, centre, ridge);
  BestCut best(fit.loss(total, false), options);
  WideSums best_left(k);
  WideSums best_right(k);
  for_each_cut(
      bins.n_bins(), total, total.w(),
      [&](int code) -> const WideSums& { return sums[static_cast<std::size_t>(code)]; }, options,
      [&](const WideSums& left, const WideSums& right, int threshold, bool missing_left) {
        const double loss = fit.loss(left, with_feature) + fit.loss(right, with_feature);
        best.offer(loss, left, right, best_left, best_right, threshold, missing_left);
      });
  Candidate candidate = best.candidate();
  candidate.feature = feature.feature;
  candidate.redundant = !with_feature;
  if (candidate.valid && with_feature) {
    candidate.left.takes_column = fit.keeps_feature(best_left);
    candidate.right.takes_column = fit.keeps_feature(best_right);
  }
  return candidate;
}

}  // namespace plboost
