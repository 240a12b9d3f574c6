#pragma once

#include "core/kernels/generic/vector.inl.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost::generic {

// Columns whose centred moment or pivot is below this share of its size are dropped
// (docs/algorithm.md, section 3).
inline constexpr double kScanTolerance = 1e-6;

// As many children side by side as a register holds.
template <typename Isa>
struct ScanChildren {
  Doubles<Isa> g, h, gz, hz, hzz, w, gx, hx, hxx, hxz;
};

// What a bin adds: its own lanes, and those that it has with x, the same in all its rows: (gx, hx,
// hxx, hxz). In as many registers as they need.
template <typename Isa>
struct BinSums {
  static constexpr std::size_t kWidth = Native<Isa>::kWidth;
  static constexpr std::size_t kFeatureLanes = kWidth < 4 ? 4 : kWidth;

  Doubles<Isa> own[kLanes / kWidth]{};
  Doubles<Isa> feature[kFeatureLanes / kWidth]{};

  [[gnu::always_inline]] void add(const Floats<Isa> (&bin)[kLanes / kWidth]) {
    for (std::size_t i = 0; i < kLanes / kWidth; ++i) {
      own[i] += widened<Isa>(bin[i]);
    }
  }

  [[gnu::always_inline]] void add_feature(const Floats<Isa> (&bin)[kLanes / kWidth], double x) {
    const Doubles<Isa> low = widened<Isa>(bin[0]);
    const Doubles<Isa> once = filled<Isa>(x);
    const Doubles<Isa> twice = once * once;
    if constexpr (kWidth == 8) {
      feature[0] += __builtin_shufflevector(low, low, 0, 1, 1, 3, 0, 0, 0, 0) *
                    __builtin_shufflevector(once, twice, 0, 1, 10, 3, 4, 5, 6, 7);
    } else if constexpr (kWidth == 4) {
      feature[0] += __builtin_shufflevector(low, low, 0, 1, 1, 3) *
                    __builtin_shufflevector(once, twice, 0, 1, 6, 3);
    } else {
      const Doubles<Isa> high = widened<Isa>(bin[1]);
      feature[0] += low * once;
      feature[1] +=
          __builtin_shufflevector(low, high, 1, 3) * __builtin_shufflevector(once, twice, 2, 1);
    }
  }
};

// Loss of the best fit of some children (paper Eq. 4, around the means). Every centred moment is
// taken h times, which needs no division, and all fractions are brought to one denominator:
// divisions are what this loop is made of.
template <typename Isa, bool kZ, bool kX>
[[gnu::always_inline]] inline Doubles<Isa> losses(const ScanChildren<Isa>& c,
                                                  const ScanProblem& problem) {
  const Doubles<Isa> one = filled<Isa>(1.0);
  const Doubles<Isa> zero{};
  Doubles<Isa> fixed = zero;  // h times the terms of a z whose slope stays
  Doubles<Isa> c_z = zero;
  Doubles<Isa> m_xz = zero;
  Doubles<Isa> pivot_z = one;
  Doubles<Isa> c_x = zero;
  if constexpr (kX) c_x = c.h * c.gx - c.g * c.hx;
  if constexpr (kZ) {
    const Doubles<Isa> m_zz = c.h * c.hzz - c.hz * c.hz;
    c_z = c.h * c.gz - c.g * c.hz;
    if constexpr (kX) m_xz = c.h * c.hxz - c.hx * c.hz;
    if (problem.z_fixed) {
      fixed = c_z + 0.5 * (m_zz + problem.ridge_z * c.h);
      c_x += m_xz;
      c_z = m_xz = zero;
    } else {
      const auto keeps = m_zz > kScanTolerance * (c.h * c.hzz);
      pivot_z = keeps ? m_zz + problem.ridge_z * c.h : one;
      c_z = keeps ? c_z : zero;
      m_xz = keeps ? m_xz : zero;
    }
  }
  Doubles<Isa> numerator = c_z * c_z;
  Doubles<Isa> denominator = pivot_z;
  if constexpr (kX) {
    const Doubles<Isa> m_xx = c.h * c.hxx - c.hx * c.hx;
    const Doubles<Isa> diagonal = m_xx + problem.ridge_x * c.h;
    const Doubles<Isa> determinant = pivot_z * diagonal - m_xz * m_xz;
    const Doubles<Isa> rest = c_x * pivot_z - m_xz * c_z;
    const auto keeps = (m_xx > kScanTolerance * (c.h * c.hxx)) &
                       (determinant > kScanTolerance * (pivot_z * diagonal));
    numerator = keeps ? numerator * determinant + rest * rest : numerator;
    denominator = keeps ? denominator * determinant : denominator;
  }
  // -1/2 g^2 / (h + l2) - 1/2 (numerator / denominator) / h + fixed / h
  const Doubles<Isa> total_h = c.h + problem.l2;
  const Doubles<Isa> slopes = (fixed + fixed) * denominator - numerator;
  return 0.5 *
         ((slopes * total_h - c.g * c.g * (c.h * denominator)) / (total_h * (c.h * denominator)));
}

// The bins that hold rows, summed up from the left: what a cut behind each of them leaves to the
// left child.
template <typename Isa>
struct ScanPrefix {
  static constexpr std::size_t kWidth = Native<Isa>::kWidth;

  alignas(64) double own[kCodes + kWidth][kLanes];
  alignas(64) double feature[kCodes + kWidth][BinSums<Isa>::kFeatureLanes];
  std::int64_t bin[kCodes + kWidth];
  std::size_t n = 0;
};

// The bins from the first that holds rows to the last.
struct OccupiedBins {
  std::size_t begin;
  std::size_t end;
};

template <typename Isa>
[[gnu::always_inline]] inline OccupiedBins occupied_bins(const ScanProblem& problem) {
  const auto rows = [&](std::size_t b) { return problem.bins[b * kLanes + kN]; };
  const auto four = [&](std::size_t b) {
    return rows(b) + rows(b + 1) + rows(b + 2) + rows(b + 3);
  };
  OccupiedBins bins{0, problem.n_bins};
  while (bins.end >= 4 && !(four(bins.end - 4) > 0.0F)) bins.end -= 4;
  while (bins.end > 0 && !(rows(bins.end - 1) > 0.0F)) --bins.end;
  while (bins.begin + 4 <= bins.end && !(four(bins.begin) > 0.0F)) bins.begin += 4;
  while (bins.begin < bins.end && !(rows(bins.begin) > 0.0F)) ++bins.begin;
  return bins;
}

template <typename Isa, bool kX>
void sum_prefix(const ScanProblem& problem, ScanPrefix<Isa>& prefix) {
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  constexpr std::size_t kParts = kLanes / kWidth;
  const OccupiedBins bins = occupied_bins<Isa>(problem);
  BinSums<Isa> sums;
  std::size_t n = 0;
  for (std::size_t b = bins.begin; b < bins.end; ++b) {
    const float* from = problem.bins + b * kLanes;
    Floats<Isa> bin[kParts];
    for (std::size_t i = 0; i < kParts; ++i) bin[i] = load<Isa, Floats<Isa>>(from + i * kWidth);
    if constexpr (kX) sums.add_feature(bin, static_cast<double>(problem.values[b]));
    sums.add(bin);
    store<Isa>(prefix.own[n], sums.own);
    if constexpr (kX) store<Isa>(prefix.feature[n], sums.feature);
    prefix.bin[n] = static_cast<std::int64_t>(b);
    n += from[kN] > 0.0F ? 1 : 0;  // a cut behind an empty bin is the same as the one before
  }
  prefix.n = n;
  for (std::size_t i = n; i < n + Native<Isa>::kWidth; ++i) {
    for (double& sum : prefix.own[i]) sum = 0.0;
    for (double& sum : prefix.feature[i]) sum = 0.0;
    prefix.bin[i] = 0;
  }
}

// Takes sums from around 0 to around the given means of z and x. They are linear in the rows, so
// this may be done to a child as well as to a bin, eight children at a time.
template <typename Isa, bool kX, typename Sums>
[[gnu::always_inline]] inline void centre(Sums& c, double z, double x) {
  if constexpr (kX) {
    c.hxz = c.hxz - z * c.hx;  // then, with z centred, - x hz below
  }
  const auto hz = c.hz - z * c.h;
  c.gz = c.gz - z * c.g;
  c.hzz = c.hzz - z * (c.hz + hz);
  c.hz = hz;
  if constexpr (kX) {
    const auto hx = c.hx - x * c.h;
    c.gx = c.gx - x * c.g;
    c.hxx = c.hxx - x * (c.hx + hx);
    c.hxz = c.hxz - x * c.hz;
    c.hx = hx;
  }
}

// lanes[i] = what lane i of the rows is, side by side.
template <typename Isa, std::size_t kN>
[[gnu::always_inline]] inline void read_lanes(const double (*rows)[kN], Doubles<Isa>* lanes) {
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  for (std::size_t first = 0; first < kN; first += kWidth) {
    Doubles<Isa> square[kWidth];
    for (std::size_t i = 0; i < kWidth; ++i) square[i] = read<Isa>(rows[i] + first);
    transpose<Isa>(square);
    for (std::size_t i = 0; i < kWidth; ++i) lanes[first + i] = square[i];
  }
}

template <typename Isa, bool kX>
[[gnu::always_inline]] inline ScanChildren<Isa> read_children(const ScanPrefix<Isa>& prefix,
                                                              std::size_t at, double centre_z,
                                                              double centre_x) {
  Doubles<Isa> own[kLanes];
  read_lanes<Isa>(prefix.own + at, own);
  ScanChildren<Isa> c{
      .g = own[kG], .h = own[kH], .gz = own[kGZ], .hz = own[kHZ], .hzz = own[kHZZ], .w = own[kW]};
  if constexpr (kX) {
    Doubles<Isa> feature[BinSums<Isa>::kFeatureLanes];
    read_lanes<Isa>(prefix.feature + at, feature);
    c.gx = feature[0];
    c.hx = feature[1];
    c.hxx = feature[2];
    c.hxz = feature[3];
  }
  centre<Isa, kX>(c, centre_z, centre_x);
  return c;
}

// a + sign * b, with b the sums of one child.
template <typename Isa>
[[gnu::always_inline]] inline ScanChildren<Isa> combine(const ScanSums& a, double sign,
                                                        const ScanChildren<Isa>& b) {
  return {a.g + sign * b.g,     a.h + sign * b.h,    a.gz + sign * b.gz, a.hz + sign * b.hz,
          a.hzz + sign * b.hzz, a.w + sign * b.w,    a.gx + sign * b.gx, a.hx + sign * b.hx,
          a.hxx + sign * b.hxx, a.hxz + sign * b.hxz};
}

struct BestCutFound {
  double gain;
  std::int64_t bin = -1;
  std::size_t at = 0;
};

// Tries every cut of the prefix; rows with a missing value are added to the left child's sums.
template <typename Isa, bool kZ, bool kX>
void try_cuts(const ScanProblem& problem, const ScanPrefix<Isa>& prefix, const ScanSums& total,
              const ScanSums& missing, double centre_x, double node_loss, std::size_t n_cuts,
              BestCutFound& best) {
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  Doubles<Isa> best_gain = filled<Isa>(best.gain);
  Longs<Isa> best_at = Longs<Isa>{} - 1;
  Longs<Isa> place{};
  for (std::size_t lane = 0; lane < kWidth; ++lane) place[lane] = static_cast<std::int64_t>(lane);
  for (std::size_t at = 0; at < n_cuts; at += kWidth, place += kWidth) {
    const ScanChildren<Isa> left =
        combine<Isa>(missing, 1.0, read_children<Isa, kX>(prefix, at, problem.centre_z, centre_x));
    const ScanChildren<Isa> right = combine<Isa>(total, -1.0, left);
    const Doubles<Isa> gain =
        node_loss - (losses<Isa, kZ, kX>(left, problem) + losses<Isa, kZ, kX>(right, problem));
    const auto better = (gain > best_gain) & (left.w >= problem.min_weight) &
                        (right.w >= problem.min_weight) & (left.h >= problem.min_hessian) &
                        (right.h >= problem.min_hessian) & (left.h > 0.0) & (right.h > 0.0) &
                        (place < static_cast<std::int64_t>(n_cuts));
    best_gain = better ? gain : best_gain;
    best_at = better ? place : best_at;
  }
  std::int64_t found = -1;
  for (std::size_t lane = 0; lane < kWidth; ++lane) {
    if (best_at[lane] < 0) continue;
    const bool wins = found < 0 || best_gain[lane] > best.gain ||
                      (best_gain[lane] == best.gain && best_at[lane] < found);
    if (!wins) continue;
    found = best_at[lane];
    best.gain = best_gain[lane];
  }
  if (found >= 0) {
    best.at = static_cast<std::size_t>(found);
    best.bin = prefix.bin[best.at];
  }
}

template <typename Isa, bool kX>
[[gnu::always_inline]] inline ScanSums sums_of(const ScanPrefix<Isa>& prefix, std::size_t at) {
  const double* own = prefix.own[at];
  ScanSums sums{own[kG], own[kH], own[kGZ], own[kHZ], own[kHZZ], own[kW], 0, 0, 0, 0};
  if constexpr (kX) {
    const double* feature = prefix.feature[at];
    sums.gx = feature[0];
    sums.hx = feature[1];
    sums.hxx = feature[2];
    sums.hxz = feature[3];
  }
  return sums;
}

template <typename Isa, bool kX>
[[gnu::always_inline]] inline ScanSums sums_of_bin(const float* bin, double x) {
  const double g = bin[kG];
  const double h = bin[kH];
  const double hz = bin[kHZ];
  ScanSums sums{g, h, bin[kGZ], hz, bin[kHZZ], bin[kW], 0, 0, 0, 0};
  if constexpr (kX) {
    sums.gx = g * x;
    sums.hx = h * x;
    sums.hxx = h * (x * x);
    sums.hxz = hz * x;
  }
  return sums;
}

template <typename Isa>
[[gnu::always_inline]] inline ScanSums plus(const ScanSums& a, const ScanSums& b) {
  return {a.g + b.g, a.h + b.h,   a.gz + b.gz, a.hz + b.hz,   a.hzz + b.hzz,
          a.w + b.w, a.gx + b.gx, a.hx + b.hx, a.hxx + b.hxx, a.hxz + b.hxz};
}

template <typename Isa, bool kZ, bool kX>
void scan_columns(const ScanProblem& problem, ScanResult& result) {
  result.valid = false;
  ScanPrefix<Isa> prefix;
  sum_prefix<Isa, kX>(problem, prefix);
  const std::size_t n = prefix.n;
  const float* missing_bin = problem.bins + problem.n_bins * kLanes;
  const bool has_missing = missing_bin[kN] > 0.0F;
  const ScanSums nothing{};
  const ScanSums all_missing = sums_of_bin<Isa, kX>(missing_bin, 0.0);
  ScanSums missing = all_missing;
  result.total = plus<Isa>(n == 0 ? nothing : sums_of<Isa, kX>(prefix, n - 1), missing);
  if (!(result.total.h > 0.0)) return;
  result.centre_x = result.total.hx / result.total.h;
  centre<Isa, kX>(missing, problem.centre_z, result.centre_x);
  centre<Isa, kX>(result.total, problem.centre_z, result.centre_x);
  const ScanChildren<Isa> node = combine<Isa>(result.total, 0.0, ScanChildren<Isa>{});
  const double node_loss = losses<Isa, kZ, false>(node, problem)[0];
  const double rounding = problem.gain_floor * (node_loss < 0.0 ? -node_loss : node_loss);
  BestCutFound right{.gain = problem.min_gain > rounding ? problem.min_gain : rounding};
  BestCutFound left = right;
  const std::size_t inner = n == 0 ? 0 : n - 1;
  try_cuts<Isa, kZ, kX>(problem, prefix, result.total, nothing, result.centre_x, node_loss,
                        has_missing ? n : inner, right);
  if (has_missing) {
    try_cuts<Isa, kZ, kX>(problem, prefix, result.total, missing, result.centre_x, node_loss, inner,
                          left);
  }
  const bool is_left = left.bin >= 0 && (right.bin < 0 || left.gain > right.gain ||
                                         (left.gain == right.gain && left.bin < right.bin));
  const BestCutFound& best = is_left ? left : right;
  if (best.bin < 0) return;
  result.left = sums_of<Isa, kX>(prefix, best.at);
  if (is_left) result.left = plus<Isa>(result.left, all_missing);
  centre<Isa, kX>(result.left, problem.centre_z, result.centre_x);
  result.valid = true;
  result.gain = best.gain;
  result.threshold = static_cast<std::size_t>(best.bin);
  result.missing_left = has_missing ? is_left : 2 * result.left.w >= result.total.w;
}

template <typename Isa>
void scan(const ScanProblem& problem, ScanResult& result) {
  if (problem.with_z && problem.with_x) {
    scan_columns<Isa, true, true>(problem, result);
  } else if (problem.with_z) {
    scan_columns<Isa, true, false>(problem, result);
  } else if (problem.with_x) {
    scan_columns<Isa, false, true>(problem, result);
  } else {
    scan_columns<Isa, false, false>(problem, result);
  }
}

}  // namespace plboost::generic
