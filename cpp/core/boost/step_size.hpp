#pragma once

#include <algorithm>
#include <cstddef>

#include "core/base/confirmation.hpp"

namespace plboost {

// How long the step of the next tree is, in learning rates (docs/algorithm.md, section 12). Rows
// that trees do not know of tell.
class StepSize {
 public:
  // What steps may become. Log-odds have no best value on the rows they are fitted to: they grow
  // until told to stop.
  struct Options {
    bool shorter = false;
    bool longer = false;
  };

  // `known` is the part of the rows that a tree knows of.
  StepSize(Options may_be, double known) : may_be_(may_be), over_(std::min(0.0, 0.6 - known)) {}

  double part(double learning_rate, std::size_t n_rounds) const {
    if (!(so_far_.size > 0.0)) return 1.0;
    const double confirmed = so_far_.agreement / so_far_.size;
    if (confirmed < kEnough) {
      constexpr double kLeast = 0.01;
      return may_be_.shorter ? std::max(kLeast, (confirmed - over_) / (kEnough - over_)) : 1.0;
    }
    return may_be_.longer ? longer(confirmed, learning_rate, n_rounds) : 1.0;
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
  static constexpr double kEnough = 0.2;

  // What is simple has been learned after a few steps. If trees are confirmed then as well, there
  // is much to learn, and the rounds that are left may not suffice.
  static double longer(double confirmed, double learning_rate, std::size_t n_rounds) {
    constexpr double kSimple = 3.0;
    constexpr double kLongest = 0.1;
    constexpr double kHaste = 20.0;
    if (learning_rate * static_cast<double>(n_rounds) < kSimple || !(learning_rate < kLongest)) {
      return 1.0;
    }
    return std::min(1.0 + kHaste * (confirmed - kEnough), kLongest / learning_rate);
  }

  Options may_be_;
  // What is confirmed when steps are of no more use. The rows that judge a tree were known to most
  // of those before it, and their scores follow them: so they confirm less than others would.
  double over_;
  Confirmation so_far_;  // the last trees count most
};

}  // namespace plboost
