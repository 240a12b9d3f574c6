#pragma once

#include <vector>

#include "core/objective/objective.hpp"

namespace plboost {

// The loss of a quantile: level * r above the score and (1 - level) * -r below it, r = y - score.
// It has no curvature: trees are grown on the loss smoothed over a band of residuals around 0, with
// the curvature that this has on average, and leaves take their constants from the quantiles
// themselves (docs/algorithm.md, section 2).
class Pinball final : public Objective {
 public:
  Pinball(std::span<const double> targets, std::span<const double> weights, double level);
  // Weights of its own in place of those of the rows.
  Pinball(std::span<const double> targets, std::vector<double> weights, double level);

  double initial_score() const override { return initial_score_; }
  bool adapts() const override { return true; }
  void adapt(std::span<const double> scores) override;
  double unit() const override { return unit_; }
  Hessian hessian() const override {
    return Hessian::kVaries;
  }
  std::optional<Renewal> renewal() const override { return Renewal{level_, targets_, weights_}; }
  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float* h) const override;

 private:
  double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }

  std::span<const double> targets_;
  std::vector<double> own_weights_;
  std::span<const double> weights_;
  double level_;
  double initial_score_ = 0.0;
  double band_ = 1.0;
  double unit_ = 1.0;
};

}  // namespace plboost
