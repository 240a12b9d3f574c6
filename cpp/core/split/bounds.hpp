#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace plboost {

// Where the outputs of a node must stay, so that a monotone feature's order holds.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool any() const {
    return low > -std::numeric_limits<double>::infinity() ||
           high < std::numeric_limits<double>::infinity();
  }
  double clip(double value) const { return std::min(high, std::max(low, value)); }

  // What is left to the children of a split at `bound`. Order 1: outputs left of it are not above
  // it, outputs right of it not below; -1: the other way round; 0: no order.
  Bounds left_of(double bound, int order) const {
    if (order == 0) return *this;
    return order > 0 ? Bounds{low, clip(bound)} : Bounds{clip(bound), high};
  }
  Bounds right_of(double bound, int order) const { return left_of(bound, -order); }
};

// The outputs of a node in brief.
struct OutputSummary {
  double weight = 0.0;
  double mean = 0.0;
  double deviation = 0.0;  // standard
};

// What parts the outputs of two sides: each has room in proportion to its deviation. Two lines
// that meet at the threshold are parted where they meet.
inline double dividing_bound(const OutputSummary& one, const OutputSummary& other,
                             const Bounds& bounds) {
  const double a = bounds.clip(one.mean);
  const double b = bounds.clip(other.mean);
  // Deviations that are nothing but rounding must not decide.
  const double least = 1e-3 * std::abs(b - a);
  const double sum = one.deviation + other.deviation + 2 * least;
  const double part = sum > 0.0 ? (one.deviation + least) / sum : 0.5;
  return std::clamp(a + part * (b - a), std::min(a, b), std::max(a, b));
}

}  // namespace plboost
