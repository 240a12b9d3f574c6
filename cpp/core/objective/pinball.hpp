#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/objective/objective.hpp"

namespace plboost {

// The loss of a quantile: level * r above the score and (1 - level) * -r below it, r = y - score.
// It has no curvature. In its place stands that of the parabola with its minimum at the row's own
// target that touches the loss at the score: it lies above the loss, so that a step to the minimum
// of a sum of parabolas never raises the sum of losses (Hunter and Lange 2000), and the rows show
// how far they are off, not just the side. Within a band around 0 the curvature grows no further.
// It is divided by its mean, which makes the unit. Leaves take their constants from the quantiles
// themselves.
class Pinball final : public Objective {
 public:
  Pinball(std::span<const double> targets, std::span<const double> weights, double level);
  // Weights of its own in place of those of the rows.
  Pinball(std::span<const double> targets, std::vector<double> weights, double level);

  double initial_score() const override { return initial_score_; }
  bool adapts() const override { return true; }
  void adapt(std::span<const double> scores) override;
  double unit() const override { return unit_; }
  std::optional<Renewal> renewal() const override { return Renewal{level_, targets_, weights_}; }
  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float* h) const override;

 private:
  double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  double reach(double residual) const { return std::max(std::abs(residual), band_); }

  std::span<const double> targets_;
  std::vector<double> own_weights_;
  std::span<const double> weights_;
  double level_;
  double initial_score_ = 0.0;
  double band_ = 1.0;
  double unit_ = 1.0;
};

}  // namespace plboost
