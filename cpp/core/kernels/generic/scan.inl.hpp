#pragma once

#include "core/kernels/generic/vector.inl.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost::generic {

// Columns whose centred moment or pivot is below this share of its size are dropped
// (docs/algorithm.md, section 3).
inline constexpr double kScanTolerance = 1e-6;

// Eight children side by side.
struct ScanChildren {
  Double8 g, h, gz, hz, hzz, w, gx, hx, hxx, hxz;
};

template <typename Isa>
[[gnu::always_inline]] inline Double8 widen(const Float8& bin) {
  return __builtin_convertvector(bin, Double8);
}

// What the bin adds with x, the same in all its rows: (gx, hx, hxx, hxz, ...).
template <typename Isa>
[[gnu::always_inline]] inline Double8 feature_part(const Double8& bin, double x) {
  const Double8 once = broadcast<Isa>(x);
  const Double8 twice = once * once;
  const Double8 factor = __builtin_shufflevector(once, twice, 0, 1, 10, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(bin, bin, 0, 1, 1, 3, 0, 0, 0, 0) * factor;
}

// Loss of the best fit of eight children (paper Eq. 4, around the means). Every centred moment is
// taken h times, which needs no division, and all fractions are brought to one denominator:
// divisions are what this loop is made of.
template <typename Isa, bool kZ, bool kX>
[[gnu::always_inline]] inline Double8 losses(const ScanChildren& c, const ScanProblem& problem) {
  const Double8 one = broadcast<Isa>(1.0);
  const Double8 zero{};
  Double8 fixed = zero;  // h times the terms of a z whose slope stays
  Double8 c_z = zero;
  Double8 m_xz = zero;
  Double8 pivot_z = one;
  Double8 c_x = zero;
  if constexpr (kX) c_x = c.h * c.gx - c.g * c.hx;
  if constexpr (kZ) {
    const Double8 m_zz = c.h * c.hzz - c.hz * c.hz;
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
  Double8 numerator = c_z * c_z;
  Double8 denominator = pivot_z;
  if constexpr (kX) {
    const Double8 m_xx = c.h * c.hxx - c.hx * c.hx;
    const Double8 diagonal = m_xx + problem.ridge_x * c.h;
    const Double8 determinant = pivot_z * diagonal - m_xz * m_xz;
    const Double8 rest = c_x * pivot_z - m_xz * c_z;
    const auto keeps = (m_xx > kScanTolerance * (c.h * c.hxx)) &
                       (determinant > kScanTolerance * (pivot_z * diagonal));
    numerator = keeps ? numerator * determinant + rest * rest : numerator;
    denominator = keeps ? denominator * determinant : denominator;
  }
  // -1/2 g^2 / (h + l2) - 1/2 (numerator / denominator) / h + fixed / h
  const Double8 total_h = c.h + problem.l2;
  const Double8 slopes = (fixed + fixed) * denominator - numerator;
  return 0.5 *
         ((slopes * total_h - c.g * c.g * (c.h * denominator)) / (total_h * (c.h * denominator)));
}

// The bins that hold rows, summed up from the left: what a cut behind each of them leaves to the
// left child.
struct ScanPrefix {
  alignas(64) double first[kCodes + 8][8];
  alignas(64) double second[kCodes + 8][8];
  std::int64_t bin[kCodes + 8];
  std::size_t n = 0;
};

// The bins from the first that holds rows to the last.
struct OccupiedBins {
  std::size_t begin;
  std::size_t end;
};

template <typename Isa>
[[gnu::always_inline]] inline OccupiedBins occupied_bins(const ScanProblem& problem) {
  const auto is_empty = [&](std::size_t b) { return !(problem.bins[b * kLanes + kN] > 0.0F); };
  OccupiedBins bins{0, problem.n_bins};
  while (bins.end > 0 && is_empty(bins.end - 1)) --bins.end;
  while (bins.begin < bins.end && is_empty(bins.begin)) ++bins.begin;
  return bins;
}

// Adds the bins [b, end). Tells whether they hold rows.
template <typename Isa, bool kX>
[[gnu::always_inline]] inline bool add_bins(const ScanProblem& problem, std::size_t b,
                                            std::size_t end, Double8& first, Double8& second) {
  const float* from = problem.bins + b * kLanes;
  Float8 sum = load<Isa, Float8>(from);
  if constexpr (kX) {
    second += feature_part<Isa>(widen<Isa>(sum), static_cast<double>(problem.values[b]));
  }
  for (++b; b < end; ++b) {
    from += kLanes;
    const Float8 bin = load<Isa, Float8>(from);
    sum += bin;
    if constexpr (kX) {
      second += feature_part<Isa>(widen<Isa>(bin), static_cast<double>(problem.values[b]));
    }
  }
  first += widen<Isa>(sum);
  return sum[kN] > 0.0F;
}

template <typename Isa, bool kX, std::size_t kJoined>
void sum_prefix(const ScanProblem& problem, OccupiedBins bins, ScanPrefix& prefix) {
  Double8 first{};
  Double8 second{};
  std::size_t n = 0;
  const auto take = [&](std::size_t b, std::size_t end) {
    const bool holds_rows = add_bins<Isa, kX>(problem, b, end, first, second);
    store<Isa>(prefix.first[n], first);
    if constexpr (kX) store<Isa>(prefix.second[n], second);
    prefix.bin[n] = static_cast<std::int64_t>(end - 1);
    n += holds_rows ? 1 : 0;  // a cut behind an empty bin is the same as the one before
  };
  std::size_t b = bins.begin / kJoined * kJoined;
  for (; b + kJoined <= bins.end; b += kJoined) take(b, b + kJoined);
  if (b < bins.end) take(b, b + kJoined < problem.n_bins ? b + kJoined : problem.n_bins);
  prefix.n = n;
  for (std::size_t i = n; i < n + 8; ++i) {
    store<Isa>(prefix.first[i], Double8{});
    store<Isa>(prefix.second[i], Double8{});
    prefix.bin[i] = 0;
  }
}

// Bins of few rows are joined (docs/algorithm.md, section 4): a small node pays for its rows, not
// for its bins.
template <typename Isa, bool kX>
void sum_prefix(const ScanProblem& problem, ScanPrefix& prefix) {
  const OccupiedBins bins = occupied_bins<Isa>(problem);
  const double most = problem.spacing * static_cast<double>(bins.end - bins.begin);
  if (8.0 * problem.weight <= most) {
    sum_prefix<Isa, kX, 8>(problem, bins, prefix);
  } else if (4.0 * problem.weight <= most) {
    sum_prefix<Isa, kX, 4>(problem, bins, prefix);
  } else if (2.0 * problem.weight <= most) {
    sum_prefix<Isa, kX, 2>(problem, bins, prefix);
  } else {
    sum_prefix<Isa, kX, 1>(problem, bins, prefix);
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

template <typename Isa, bool kX>
[[gnu::always_inline]] inline ScanChildren read_children(const ScanPrefix& prefix, std::size_t at,
                                                         double centre_z, double centre_x) {
  ScanChildren c{};
  Double8 rows[8];
  for (std::size_t i = 0; i < 8; ++i) rows[i] = load<Isa, Double8>(prefix.first[at + i]);
  transpose<Isa>(rows);
  c.g = rows[kG];
  c.h = rows[kH];
  c.gz = rows[kGZ];
  c.hz = rows[kHZ];
  c.hzz = rows[kHZZ];
  c.w = rows[kW];
  if constexpr (kX) {
    for (std::size_t i = 0; i < 8; ++i) rows[i] = load<Isa, Double8>(prefix.second[at + i]);
    transpose<Isa>(rows);
    c.gx = rows[0];
    c.hx = rows[1];
    c.hxx = rows[2];
    c.hxz = rows[3];
  }
  centre<Isa, kX>(c, centre_z, centre_x);
  return c;
}

// a + sign * b, with b the sums of one child.
template <typename Isa>
[[gnu::always_inline]] inline ScanChildren combine(const ScanSums& a, double sign,
                                                   const ScanChildren& b) {
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
void try_cuts(const ScanProblem& problem, const ScanPrefix& prefix, const ScanSums& total,
              const ScanSums& missing, double centre_x, double node_loss, std::size_t n_cuts,
              BestCutFound& best) {
  Double8 best_gain = broadcast<Isa>(best.gain);
  Long8 best_at = Long8{} - 1;
  for (std::size_t at = 0; at < n_cuts; at += 8) {
    const ScanChildren left =
        combine<Isa>(missing, 1.0, read_children<Isa, kX>(prefix, at, problem.centre_z, centre_x));
    const ScanChildren right = combine<Isa>(total, -1.0, left);
    const Double8 gain =
        node_loss - (losses<Isa, kZ, kX>(left, problem) + losses<Isa, kZ, kX>(right, problem));
    const auto index = static_cast<std::int64_t>(at);
    const Long8 place = Long8{0, 1, 2, 3, 4, 5, 6, 7} + index;
    const auto better = (gain > best_gain) & (left.w >= problem.min_weight) &
                        (right.w >= problem.min_weight) & (left.h >= problem.min_hessian) &
                        (right.h >= problem.min_hessian) & (left.h > 0.0) & (right.h > 0.0) &
                        (place < static_cast<std::int64_t>(n_cuts));
    best_gain = better ? gain : best_gain;
    best_at = better ? place : best_at;
  }
  std::int64_t found = -1;
  for (int lane = 0; lane < 8; ++lane) {
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
[[gnu::always_inline]] inline ScanSums sums_of(const Double8& first, const Double8& second) {
  ScanSums sums{first[kG], first[kH], first[kGZ], first[kHZ], first[kHZZ], first[kW], 0, 0, 0, 0};
  if constexpr (kX) {
    sums.gx = second[0];
    sums.hx = second[1];
    sums.hxx = second[2];
    sums.hxz = second[3];
  }
  return sums;
}

template <typename Isa, bool kZ, bool kX>
void scan_columns(const ScanProblem& problem, ScanResult& result) {
  result.valid = false;
  ScanPrefix prefix;
  sum_prefix<Isa, kX>(problem, prefix);
  const float* missing_bin = problem.bins + problem.n_bins * kLanes;
  const bool has_missing = missing_bin[kN] > 0.0F;
  const Double8 missing_first = widen<Isa>(load<Isa, Float8>(missing_bin));
  const Double8 missing_second =
      feature_part<Isa>(missing_first, static_cast<double>(problem.values[problem.n_bins]));
  const std::size_t n = prefix.n;
  const Double8 none{};
  const Double8 all_first = n == 0 ? none : load<Isa, Double8>(prefix.first[n - 1]);
  const Double8 all_second = n == 0 || !kX ? none : load<Isa, Double8>(prefix.second[n - 1]);
  ScanSums missing = sums_of<Isa, kX>(missing_first, missing_second);
  result.total = sums_of<Isa, kX>(all_first + missing_first, all_second + missing_second);
  if (!(result.total.h > 0.0)) return;
  result.centre_x = result.total.hx / result.total.h;
  centre<Isa, kX>(missing, problem.centre_z, result.centre_x);
  centre<Isa, kX>(result.total, problem.centre_z, result.centre_x);
  const ScanSums nothing{};
  const ScanChildren node = combine<Isa>(result.total, 0.0, ScanChildren{});
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
  const Double8 first = load<Isa, Double8>(prefix.first[best.at]);
  const Double8 second = kX ? load<Isa, Double8>(prefix.second[best.at]) : none;
  result.left = is_left ? sums_of<Isa, kX>(first + missing_first, second + missing_second)
                        : sums_of<Isa, kX>(first, second);
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
