#pragma once

#include <algorithm>

#include "core/base/confirmation.hpp"

namespace plboost {

// What part of the learning rate the next tree gets. Log-odds have no best value on the rows they
// are fitted to: they grow until told to stop. Rows that trees do not know of tell when their
// outputs are of no more use (docs/algorithm.md, section 12).
class StepSize {
 public:
  // `known` is the part of the rows that a tree knows of.
  StepSize(bool adapts, double known) : adapts_(adapts), over_(std::min(0.0, 0.6 - known)) {}

  double part() const {
    if (!adapts_ || !(so_far_.size > 0.0)) return 1.0;
    constexpr double kEnough = 0.2;
    constexpr double kLeast = 0.01;
    const double confirmed = so_far_.agreement / so_far_.size;
    return std::clamp((confirmed - over_) / (kEnough - over_), kLeast, 1.0);
  }

  void learn(const Confirmation& of_tree) {
    constexpr double kMemory = 0.9;
    so_far_ = {kMemory * so_far_.agreement + of_tree.agreement,
               kMemory * so_far_.size + of_tree.size};
  }

  // To go on with later.
  Confirmation state() const { return so_far_; }
  void restore(const Confirmation& state) { so_far_ = state; }

 private:
  bool adapts_;
  // What is confirmed when steps are of no more use. The rows that judge a tree were known to most
  // of those before it, and their scores follow them: so they confirm less than others would.
  double over_;
  Confirmation so_far_;  // the last trees count most
};

}  // namespace plboost
