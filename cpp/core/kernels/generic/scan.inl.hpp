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
[[gnu::always_inline]] inline Double8 widen(const float* bin) {
  return __builtin_convertvector((load<Isa, Float8>(bin)), Double8);
}

// The statistics of a bin around the node's mean of z: (g, h, gz, hz, hzz, w, 0, 0).
template <typename Isa>
[[gnu::always_inline]] inline Double8 centre_bin(const Double8& bin, const Double8& centre_z) {
  const Double8 zero{};
  const Double8 first = __builtin_shufflevector(bin, zero, 8, 8, 0, 1, 3, 8, 8, 8);
  const Double8 once = bin - centre_z * first;
  const Double8 second = __builtin_shufflevector(once, zero, 8, 8, 8, 8, 3, 8, 8, 8);
  return once - centre_z * second;
}

// What the bin adds with x, the same in all its rows: (gx, hx, hxx, hxz, ...).
template <typename Isa>
[[gnu::always_inline]] inline Double8 feature_part(const Double8& bin, double x) {
  const Double8 once = broadcast<Isa>(x);
  const Double8 twice = once * once;
  const Double8 factor = __builtin_shufflevector(once, twice, 0, 1, 10, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(bin, bin, 0, 1, 1, 3, 0, 0, 0, 0) * factor;
}

// Loss of the best fit of eight children (paper Eq. 4, around the means). The 2 x 2 system is
// solved with one division, and so are 1/h and 1/(h + l2): divisions are what this loop is made of.
template <typename Isa, bool kZ, bool kX>
[[gnu::always_inline]] inline Double8 losses(const ScanChildren& c, const ScanProblem& problem) {
  const Double8 one = broadcast<Isa>(1.0);
  const Double8 zero{};
  const Double8 total_h = c.h + problem.l2;
  const Double8 inverse = one / (c.h * total_h);
  const Double8 inverse_h = total_h * inverse;
  Double8 loss = -0.5 * (c.g * c.g) * (c.h * inverse);
  const Double8 mean_g = c.g * inverse_h;
  Double8 c_z = zero;
  Double8 m_xz = zero;
  Double8 pivot_z = one;
  Double8 c_x = zero;
  if constexpr (kX) c_x = c.gx - mean_g * c.hx;
  if constexpr (kZ) {
    const Double8 mean_z = c.hz * inverse_h;
    const Double8 m_zz = c.hzz - mean_z * c.hz;
    c_z = c.gz - mean_z * c.g;
    if constexpr (kX) m_xz = c.hxz - mean_z * c.hx;
    if (problem.z_fixed) {
      loss += c_z + 0.5 * (m_zz + problem.ridge_z);
      c_x += m_xz;
      c_z = m_xz = zero;
    } else {
      const auto keeps = m_zz > kScanTolerance * c.hzz;
      pivot_z = keeps ? m_zz + problem.ridge_z : one;
      c_z = keeps ? c_z : zero;
      m_xz = keeps ? m_xz : zero;
    }
  }
  Double8 numerator = c_z * c_z;
  Double8 denominator = pivot_z;
  if constexpr (kX) {
    const Double8 mean_x = c.hx * inverse_h;
    const Double8 m_xx = c.hxx - mean_x * c.hx;
    const Double8 diagonal = m_xx + problem.ridge_x;
    const Double8 determinant = pivot_z * diagonal - m_xz * m_xz;
    const Double8 rest = c_x * pivot_z - m_xz * c_z;
    const auto keeps =
        (m_xx > kScanTolerance * c.hxx) & (determinant > kScanTolerance * (pivot_z * diagonal));
    numerator = keeps ? numerator * determinant + rest * rest : numerator;
    denominator = keeps ? denominator * determinant : denominator;
  }
  return loss - 0.5 * (numerator / denominator);
}

// The bins that hold rows, summed up from the left: what a cut behind each of them leaves to the
// left child.
struct ScanPrefix {
  alignas(64) double first[kCodes + 8][8];
  alignas(64) double second[kCodes + 8][8];
  std::int64_t bin[kCodes + 8];
  std::size_t n = 0;
};

template <typename Isa>
void sum_node(const ScanProblem& problem, ScanResult& result, Double8& total) {
  double hx = 0.0;
  total = Double8{};
  for (std::size_t b = 0; b <= problem.n_bins; ++b) {
    const float* bin = problem.bins + b * kLanes;
    total += widen<Isa>(bin);
    hx += static_cast<double>(bin[kH]) * static_cast<double>(problem.values[b]);
  }
  result.centre_z = total[kHZ] / total[kH];
  result.centre_x = hx / total[kH];
}

template <typename Isa, bool kX>
void sum_prefix(const ScanProblem& problem, const ScanResult& result, ScanPrefix& prefix) {
  const Double8 centre_z = broadcast<Isa>(result.centre_z);
  Double8 first{};
  Double8 second{};
  std::size_t n = 0;
  for (std::size_t b = 0; b < problem.n_bins; ++b) {
    const float* from = problem.bins + b * kLanes;
    const Double8 bin = centre_bin<Isa>(widen<Isa>(from), centre_z);
    first += bin;
    store<Isa>(prefix.first[n], first);
    if constexpr (kX) {
      second += feature_part<Isa>(bin, static_cast<double>(problem.values[b]) - result.centre_x);
      store<Isa>(prefix.second[n], second);
    }
    prefix.bin[n] = static_cast<std::int64_t>(b);
    n += from[kW] > 0.0F ? 1 : 0;  // a cut behind an empty bin is the same as the one before
  }
  prefix.n = n;
  for (std::size_t i = n; i < n + 8; ++i) {
    store<Isa>(prefix.first[i], Double8{});
    store<Isa>(prefix.second[i], Double8{});
    prefix.bin[i] = 0;
  }
}

template <typename Isa, bool kX>
[[gnu::always_inline]] inline ScanChildren read_children(const ScanPrefix& prefix, std::size_t at) {
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
              const ScanSums& missing, double node_loss, std::size_t n_cuts, BestCutFound& best) {
  Double8 best_gain = broadcast<Isa>(best.gain);
  Long8 best_at = Long8{} - 1;
  for (std::size_t at = 0; at < n_cuts; at += 8) {
    const ScanChildren left = combine<Isa>(missing, 1.0, read_children<Isa, kX>(prefix, at));
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
  Double8 raw;
  sum_node<Isa>(problem, result, raw);
  if (!(raw[kH] > 0.0)) return;
  ScanPrefix prefix;
  sum_prefix<Isa, kX>(problem, result, prefix);
  const float* missing_bin = problem.bins + problem.n_bins * kLanes;
  const bool has_missing = missing_bin[kW] > 0.0F;
  const Double8 missing_first =
      centre_bin<Isa>(widen<Isa>(missing_bin), broadcast<Isa>(result.centre_z));
  const Double8 missing_second = feature_part<Isa>(
      missing_first, static_cast<double>(problem.values[problem.n_bins]) - result.centre_x);
  const ScanSums missing = sums_of<Isa, kX>(missing_first, missing_second);
  const std::size_t n = prefix.n;
  const Double8 none{};
  const Double8 all_first = n == 0 ? none : load<Isa, Double8>(prefix.first[n - 1]);
  const Double8 all_second = n == 0 || !kX ? none : load<Isa, Double8>(prefix.second[n - 1]);
  result.total = sums_of<Isa, kX>(all_first + missing_first, all_second + missing_second);
  const ScanSums nothing{};
  const ScanChildren node = combine<Isa>(result.total, 0.0, ScanChildren{});
  const double node_loss = losses<Isa, kZ, false>(node, problem)[0];
  const double rounding = problem.gain_floor * (node_loss < 0.0 ? -node_loss : node_loss);
  BestCutFound right{.gain = problem.min_gain > rounding ? problem.min_gain : rounding};
  BestCutFound left = right;
  const std::size_t inner = n == 0 ? 0 : n - 1;
  try_cuts<Isa, kZ, kX>(problem, prefix, result.total, nothing, node_loss, has_missing ? n : inner,
                        right);
  if (has_missing) {
    try_cuts<Isa, kZ, kX>(problem, prefix, result.total, missing, node_loss, inner, left);
  }
  const bool is_left = left.bin >= 0 && (right.bin < 0 || left.gain > right.gain ||
                                         (left.gain == right.gain && left.bin < right.bin));
  const BestCutFound& best = is_left ? left : right;
  if (best.bin < 0) return;
  const Double8 first = load<Isa, Double8>(prefix.first[best.at]);
  const Double8 second = kX ? load<Isa, Double8>(prefix.second[best.at]) : none;
  result.left = is_left ? sums_of<Isa, kX>(first + missing_first, second + missing_second)
                        : sums_of<Isa, kX>(first, second);
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
