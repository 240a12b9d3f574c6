#pragma once

#include <algorithm>
#include <cstddef>

#include "core/base/confirmation.hpp"

namespace plboost {

// How many leaves the next tree may have. They become more as long as rows that trees do not know
// of confirm their later splits, and fewer where they do not: then it is noise that these follow
// (docs/algorithm.md, section 11).
class TreeSize {
 public:
  static constexpr int kFirst = 48;
  static constexpr double kLeast = 8.0;

  struct State {
    double leaves = 0.0;
    Confirmation splits;  // the later ones of all trees so far
  };

  TreeSize(int max_leaves, bool adapts)
      : least_(adapts ? std::min<double>(kLeast, max_leaves) : max_leaves),
        most_(max_leaves),
        state_{adapts ? std::min<double>(kFirst, max_leaves) : max_leaves, {}} {}

  int leaves() const { return static_cast<int>(state_.leaves + 0.5); }

  // The first trees say most, and count most: late in a training little of any split is confirmed,
  // and only all trees together tell noise from what is left of a signal.
  void learn(const Confirmation& late_splits) {
    constexpr double kStep = 1.05;
    constexpr double kEnough = 0.2;
    if (!(late_splits.size > 0.0)) return;
    state_.splits += late_splits;
    const bool confirmed = state_.splits.agreement > kEnough * state_.splits.size;
    state_.leaves =
        std::clamp(confirmed ? state_.leaves * kStep : state_.leaves / kStep, least_, most_);
  }

  // Trees were made before of which nothing is known but their size: what those confirm that follow
  // says little, as of all late trees, and makes none smaller.
  void go_on_from(std::size_t leaves) {
    least_ = std::clamp<double>(static_cast<double>(leaves), least_, most_);
    state_.leaves = least_;
  }

  // To go on with later.
  const State& state() const { return state_; }
  void restore(const State& state) {
    state_.splits = state.splits;
    if (state.leaves >= least_) state_.leaves = std::min(state.leaves, most_);
  }

 private:
  double least_;
  double most_;
  State state_;
};

}  // namespace plboost
