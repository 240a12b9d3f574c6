#pragma once

#include "core/split/candidate.hpp"

namespace plboost {

// Calls judge(left, right, threshold, missing_left) for the ways to cut a feature's bins in two, in
// the order in which equals are preferred. `bin(code)` returns the sums of one code; code n_bins is
// the missing value's. Sums needs w, h, += and -=. Cuts that leave a child too little are passed
// over.
template <typename Sums, typename BinSums, typename Judge>
void for_each_cut(int n_bins, const Sums& total, BinSums&& bin, const SplitOptions& options,
                  Judge&& judge) {
  const auto cut = [&](const Sums& left, int threshold, auto missing_left) {
    Sums right = total;
    right -= left;
    const bool enough = left.w() >= options.min_samples_leaf &&
                        right.w() >= options.min_samples_leaf && left.h() >= options.min_hessian &&
                        right.h() >= options.min_hessian && left.h() > 0.0 && right.h() > 0.0;
    if (enough) judge(left, right, threshold, missing_left(left, right));
  };
  const Sums missing = bin(n_bins);
  const bool has_missing = missing.w() > 0.0;
  const auto to_left = [](const Sums&, const Sums&) { return true; };
  const auto to_right = [](const Sums&, const Sums&) { return false; };
  const auto to_larger = [](const Sums& left, const Sums& right) { return left.w() >= right.w(); };
  Sums left = bin(0);
  for (int threshold = 0; threshold + 1 < n_bins; ++threshold) {
    if (threshold > 0) left += bin(threshold);
    if (has_missing) {
      cut(left, threshold, to_right);
      Sums with_missing = left;
      with_missing += missing;
      cut(with_missing, threshold, to_left);
    } else {
      cut(left, threshold, to_larger);
    }
  }
  if (has_missing) {
    if (n_bins > 1) left += bin(n_bins - 1);
    cut(left, n_bins - 1, to_right);
  }
}

// What judge() above compares with: the first candidate of the largest gain wins.
class BestCut {
 public:
  BestCut(double node_loss, const SplitOptions& options)
      : node_loss_(node_loss), best_gain_(floor_of(node_loss, options)) {}

  template <typename Sums>
  void offer(double children_loss, const Sums& left, const Sums& right, Sums& best_left,
             Sums& best_right, int threshold, bool missing_left) {
    const double gain = node_loss_ - children_loss;
    if (!(gain > best_gain_)) return;
    best_gain_ = gain;
    candidate_.valid = true;
    candidate_.gain = gain;
    candidate_.threshold = threshold;
    candidate_.missing_left = missing_left;
    best_left = left;
    best_right = right;
  }

  const Candidate& candidate() const { return candidate_; }

 private:
  static double floor_of(double node_loss, const SplitOptions& options) {
    const double rounding = kGainFloor * (node_loss < 0.0 ? -node_loss : node_loss);
    return options.min_gain > rounding ? options.min_gain : rounding;
  }

  double node_loss_;
  double best_gain_;
  Candidate candidate_;
};

}  // namespace plboost
