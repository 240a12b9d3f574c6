#pragma once

#include <algorithm>

#include "core/base/confirmation.hpp"

namespace plboost {

// How many leaves the next tree may have. They become more as long as rows that the search of a
// tree has not seen confirm what it says of them, and fewer when they do not: then it is noise that
// further leaves follow (docs/algorithm.md, section 11).
class TreeSize {
 public:
  static constexpr int kFirst = 48;

  TreeSize(int max_leaves, bool adapts)
      : least_(adapts ? std::min(kFirst, max_leaves) : max_leaves),
        most_(max_leaves),
        leaves_(least_) {}

  int leaves() const { return static_cast<int>(leaves_ + 0.5); }

  void learn(const Confirmation& of_tree) {
    constexpr double kStep = 1.05;
    constexpr double kEnough = 0.3;
    const bool confirmed = of_tree.agreement > kEnough * of_tree.size;
    leaves_ = std::clamp(confirmed ? leaves_ * kStep : leaves_ / kStep, least_, most_);
  }

  // To go on with later.
  double state() const { return leaves_; }
  void restore(double state) {
    if (state >= least_) leaves_ = std::min(state, most_);
  }

 private:
  double least_;
  double most_;
  double leaves_;
};

}  // namespace plboost
