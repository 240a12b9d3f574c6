#pragma once

#include "core/kernels/generic/vector.inl.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost::generic {

// As in scan.inl.hpp (docs/algorithm.md, section 3).
inline constexpr double kWideTolerance = 1e-6;

// The sums of some children side by side, as many as a register holds: the lanes of the histogram,
// then what the feature, v in all rows of a bin, makes of the first ones: h v v, h v, g v | h x_j
// v.
template <typename Isa>
struct WideChildren {
  const double* sums;  // [lane][width]
  std::size_t k;
  std::size_t feature;  // its first lane

  Doubles<Isa> lane(std::size_t i) const { return read<Isa>(sums + Native<Isa>::kWidth * i); }
  Doubles<Isa> w() const { return lane(kWideW); }
  Doubles<Isa> g() const { return lane(kWideG); }
  Doubles<Isa> h() const { return lane(kWideH); }
  // Column k is the feature's.
  Doubles<Isa> hx(std::size_t j) const { return lane(j < k ? kWideHX + j : feature + kWideH); }
  Doubles<Isa> gx(std::size_t j) const { return lane(j < k ? kWideHX + k + j : feature + kWideG); }
  Doubles<Isa> hxx(std::size_t j, std::size_t l) const {
    if (j < k) return lane(kWideHX + 2 * k + j * (j + 1) / 2 + l);
    return lane(l < k ? feature + kWideHX + l : feature);
  }
};

// Where the scratch memory of a scan goes.
template <typename Isa>
struct WideScratch {
  static constexpr std::size_t kWidth = Native<Isa>::kWidth;

  WideScratch(const WideScanProblem& problem, double* scratch)
      : n_own(kLanes * wide_panels(problem.n_regressors)),
        n_lanes(n_own + (problem.with_x ? kLanes * feature_panels(problem.n_regressors) : 0)),
        total(scratch),
        missing(total + n_lanes),
        prefix(missing + n_lanes),
        left(prefix + n_lanes * kCodes),
        right(left + n_lanes * kWidth),
        equations(right + n_lanes * kWidth) {}

  // The prefix of the lanes from this one on, as many as a register holds.
  double* prefix_of(std::size_t lane) const { return prefix + lane * kCodes; }

  std::size_t n_own;    // lanes without the feature
  std::size_t n_lanes;  // all
  double* total;        // [n_lanes]
  double* missing;      // [n_lanes]
  double* prefix;  // [n_lanes / width][kCodes][width]: what a cut behind a bin leaves to the left
  double* left;    // [n_lanes][width]: the children of some cuts
  double* right;
  double* equations;
};

// The normal equations of some children around their means, in `equations`: the lower triangle
// [m (m + 1) / 2][width], the right side [m][width], and the limits [m][width] that pivots must
// exceed. The paper's penalty, on the intercept, is what eliminating the mean leaves of it.
template <typename Isa>
void set_equations(const WideScanProblem& problem, const WideChildren<Isa>& c, std::size_t m,
                   double* equations) {
  using Vector = Doubles<Isa>;
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  double* right_side = equations + kWidth * (m * (m + 1) / 2);
  double* limits = right_side + kWidth * m;
  double* offsets = limits + kWidth * m;
  const Vector g = c.g();
  const Vector h = c.h();
  const Vector inverse_h = 1.0 / h;
  const Vector coupling = problem.l2 / (h + problem.l2);
  double* cells = equations;
  for (std::size_t j = 0; j < m; ++j) {
    const Vector mean = c.hx(j) * inverse_h;
    const Vector spread = c.hxx(j, j);
    const Vector moment = spread - mean * c.hx(j);
    Vector right = c.gx(j) - g * mean;
    Vector diagonal = moment + problem.ridges[j];
    for (std::size_t l = 0; l < j; ++l) {
      store<Isa>(cells + kWidth * l, c.hxx(j, l) - mean * c.hx(l));
    }
    store<Isa>(cells + kWidth * j, diagonal);
    if (problem.offsets != nullptr) {
      const Vector offset = mean + problem.offsets[j];
      store<Isa>(offsets + kWidth * j, offset);
      right += coupling * g * offset;
      diagonal += problem.l2 * offset * offset;
      for (std::size_t l = 0; l <= j; ++l) {
        const Vector other = read<Isa>(offsets + kWidth * l);
        double* cell = cells + kWidth * l;
        store<Isa>(cell, read<Isa>(cell) + coupling * h * offset * other);
      }
    }
    store<Isa>(right_side + kWidth * j, right);
    store<Isa>(limits + kWidth * j, moment > kWideTolerance * spread
                                        ? kWideTolerance * diagonal
                                        : filled<Isa>(__builtin_inf()));
    cells += kWidth * (j + 1);
  }
}

// Loss of the best fits of some children with the first m columns (paper Eq. 4) by LDL'
// elimination; `keeps` tells where the last column was not dropped.
template <typename Isa>
Doubles<Isa> wide_losses(const WideScanProblem& problem, const WideChildren<Isa>& c, std::size_t m,
                         double* equations, Longs<Isa>& keeps) {
  using Vector = Doubles<Isa>;
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  set_equations<Isa>(problem, c, m, equations);
  double* right_side = equations + kWidth * (m * (m + 1) / 2);
  const double* limits = right_side + kWidth * m;
  const auto cell = [equations](std::size_t j, std::size_t l) {
    return equations + kWidth * (j * (j + 1) / 2 + l);
  };
  Vector loss = -0.5 * c.g() * c.g() / (c.h() + problem.l2);
  for (std::size_t i = 0; i < m; ++i) {
    const Vector pivot = read<Isa>(cell(i, i));
    keeps = pivot > read<Isa>(limits + kWidth * i);
    const Vector inverse = keeps ? 1.0 / pivot : Vector{};
    const Vector right = read<Isa>(right_side + kWidth * i);
    loss -= 0.5 * right * right * inverse;
    for (std::size_t j = i + 1; j < m; ++j) {
      const Vector factor = read<Isa>(cell(j, i)) * inverse;
      double* rest = right_side + kWidth * j;
      store<Isa>(rest, read<Isa>(rest) - factor * right);
      for (std::size_t l = i + 1; l <= j; ++l) {
        store<Isa>(cell(j, l), read<Isa>(cell(j, l)) - factor * read<Isa>(cell(l, i)));
      }
    }
  }
  return loss - loss == 0.0 ? loss : Vector{};  // not finite: the model is 0
}

// The best of the cuts seen in each place of a register.
template <typename Isa>
struct WideBest {
  Doubles<Isa> gain;
  Longs<Isa> bin = Longs<Isa>{} - 1;
  Doubles<Isa> left_weight{};
  Longs<Isa> left_keeps{};
  Longs<Isa> right_keeps{};
};

template <typename Isa>
void offer_cuts(const WideScanProblem& problem, const WideScratch<Isa>& at, double node_loss,
                const Longs<Isa>& bins, const Longs<Isa>& exists, WideBest<Isa>& best) {
  const std::size_t k = problem.n_regressors;
  const std::size_t m = problem.with_x ? k + 1 : k;
  const WideChildren<Isa> left{at.left, k, at.n_own};
  const WideChildren<Isa> right{at.right, k, at.n_own};
  Longs<Isa> left_keeps{};
  Longs<Isa> right_keeps{};
  const Doubles<Isa> gain =
      node_loss - (wide_losses<Isa>(problem, left, m, at.equations, left_keeps) +
                   wide_losses<Isa>(problem, right, m, at.equations, right_keeps));
  const Longs<Isa> better = exists & (gain > best.gain) & (left.w() >= problem.min_weight) &
                            (right.w() >= problem.min_weight) & (left.h() >= problem.min_hessian) &
                            (right.h() >= problem.min_hessian) & (left.h() > 0.0) &
                            (right.h() > 0.0);
  best.gain = better ? gain : best.gain;
  best.bin = better ? bins : best.bin;
  best.left_weight = better ? left.w() : best.left_weight;
  best.left_keeps = better ? left_keeps : best.left_keeps;
  best.right_keeps = better ? right_keeps : best.right_keeps;
}

// Some cuts from the given place of the prefix on, behind these bins (-1: none): first with the
// missing values on the right, then, if there are any and other rows too, on the left.
template <typename Isa>
void try_wide_cuts(const WideScanProblem& problem, const WideScratch<Isa>& at, double node_loss,
                   std::size_t place, const Longs<Isa>& bins, std::int64_t last_bin,
                   WideBest<Isa> (&best)[2]) {
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  for (std::size_t lane = 0; lane < at.n_lanes; lane += kWidth) {
    Doubles<Isa> lanes[kWidth];
    const double* from = at.prefix_of(lane);
    for (std::size_t i = 0; i < kWidth; ++i) {
      lanes[i] = read<Isa>(from + kWidth * (bins[i] < 0 ? 0 : place + i));
    }
    transpose<Isa>(lanes);
    for (std::size_t i = 0; i < kWidth; ++i) {
      store<Isa>(at.left + kWidth * (lane + i), lanes[i]);
      store<Isa>(at.right + kWidth * (lane + i), at.total[lane + i] - lanes[i]);
    }
  }
  offer_cuts<Isa>(problem, at, node_loss, bins, bins >= 0, best[0]);
  if (!(at.missing[kWideW] > 0.0)) return;
  for (std::size_t lane = 0; lane < at.n_lanes; ++lane) {
    double* left = at.left + kWidth * lane;
    double* right = at.right + kWidth * lane;
    store<Isa>(left, read<Isa>(left) + at.missing[lane]);
    store<Isa>(right, read<Isa>(right) - at.missing[lane]);
  }
  offer_cuts<Isa>(problem, at, node_loss, bins, (bins >= 0) & (bins < last_bin), best[1]);
}

// The sums of some lanes over n bins from the left, then those of the missing value's bin, which
// follows them. `parts`, unless null, gets the sums with the feature.
template <typename Isa>
void sum_wide_lanes(const WideScanProblem& problem, std::size_t lane, const std::int64_t* bins,
                    std::size_t n, double* sums, double* parts) {
  using Vector = Doubles<Isa>;
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  const float* from = problem.bins + lane / kLanes * problem.panel_stride + lane % kLanes;
  Vector sum{};
  Vector part_sum{};
  for (std::size_t i = 0; i <= n; ++i) {
    const auto bin = static_cast<std::size_t>(bins[i]);
    const auto row = load<Isa, typename Native<Isa>::Floats>(from + bin * kLanes);
    const Vector added = widened<Isa>(row);
    sum = i < n ? sum + added : added;
    store<Isa>(sums + kWidth * i, sum);
    if (parts == nullptr) continue;
    const double value = (i < n ? static_cast<double>(problem.values[bin]) : 0.0) - problem.centre;
    Vector part = added * value;
    if (lane == 0) part[kWideW] = part[kWideH] * value;
    part_sum = i < n ? part_sum + part : part;
    store<Isa>(parts + kWidth * i, part_sum);
  }
}

template <typename Isa>
void sum_wide_prefix(const WideScanProblem& problem, const WideScratch<Isa>& at,
                     const std::int64_t* bins, std::size_t n) {
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  for (std::size_t lane = 0; lane < at.n_own; lane += kWidth) {
    const std::size_t part = at.n_own + lane;
    sum_wide_lanes<Isa>(problem, lane, bins, n, at.prefix_of(lane),
                        part < at.n_lanes ? at.prefix_of(part) : nullptr);
  }
  for (std::size_t lane = 0; lane < at.n_lanes; lane += kWidth) {
    const double* sums = at.prefix_of(lane) + kWidth * n;
    const Doubles<Isa> missing = read<Isa>(sums);
    store<Isa>(at.missing + lane, missing);
    store<Isa>(at.total + lane, n == 0 ? missing : read<Isa>(sums - kWidth) + missing);
  }
}

// Among equals the lowest bin wins, then missing right.
template <typename Isa>
void choose_wide_cut(const WideScratch<Isa>& at, const WideBest<Isa> (&best)[2],
                     WideScanResult& result) {
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < Native<Isa>::kWidth; ++i) {
      if (best[side].bin[i] < 0) continue;  // found nothing
      const double gain = best[side].gain[i];
      const auto bin = static_cast<std::size_t>(best[side].bin[i]);
      const bool wins =
          !result.valid || gain > result.gain || (gain == result.gain && bin < result.threshold);
      if (!wins) continue;
      const bool larger = 2 * best[side].left_weight[i] >= at.total[kWideW];
      result = {.valid = true,
                .gain = gain,
                .threshold = bin,
                .missing_left = at.missing[kWideW] > 0.0 ? side == 1 : larger,
                .left_keeps_x = best[side].left_keeps[i] != 0,
                .right_keeps_x = best[side].right_keeps[i] != 0};
    }
  }
}

template <typename Isa>
void scan_wide(const WideScanProblem& problem, double* scratch, WideScanResult& result) {
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  result.valid = false;
  const WideScratch<Isa> at(problem, scratch);
  // That hold rows, then the missing value's.
  std::int64_t bins[kCodes + kWidth];
  std::size_t n = 0;
  for (std::size_t b = 0; b < problem.n_bins; ++b) {
    bins[n] = static_cast<std::int64_t>(b);
    n += problem.bins[b * kLanes + kWideW] > 0.0F ? 1 : 0;
  }
  bins[n] = static_cast<std::int64_t>(problem.n_bins);
  sum_wide_prefix<Isa>(problem, at, bins, n);
  if (!(at.total[kWideH] > 0.0)) return;
  for (std::size_t lane = 0; lane < at.n_own; ++lane) {
    store<Isa>(at.left + kWidth * lane, filled<Isa>(at.total[lane]));
  }
  Longs<Isa> unused{};
  const WideChildren<Isa> node{at.left, problem.n_regressors, 0};
  const double node_loss =
      wide_losses<Isa>(problem, node, problem.n_regressors, at.equations, unused)[0];
  const double rounding = problem.gain_floor * (node_loss < 0.0 ? -node_loss : node_loss);
  const double floor = problem.min_gain > rounding ? problem.min_gain : rounding;
  WideBest<Isa> best[2] = {{filled<Isa>(floor)}, {filled<Isa>(floor)}};
  // Behind the last of them only missing values are left.
  const std::int64_t last_bin = n == 0 ? -1 : bins[n - 1];
  const std::size_t n_cuts = n > 0 && !(at.missing[kWideW] > 0.0) ? n - 1 : n;
  for (std::size_t i = n_cuts; i < n_cuts + kWidth; ++i) bins[i] = -1;
  for (std::size_t cut = 0; cut < n_cuts; cut += kWidth) {
    try_wide_cuts<Isa>(problem, at, node_loss, cut, load<Isa, Longs<Isa>>(bins + cut), last_bin,
                       best);
  }
  choose_wide_cut<Isa>(at, best, result);
}

}  // namespace plboost::generic
