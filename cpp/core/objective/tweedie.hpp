#pragma once

#include "core/objective/objective.hpp"

namespace plboost {

// Deviance of the Tweedie family with a log link; power 1 is Poisson's, 2 is the gamma's. With
// mu = exp(score) the loss is mu^(2-p) / (2-p) - y mu^(1-p) / (1-p), divided by the dispersion
// var(y) / mean(y)^p. So the hessian tells how much a row says, of Poisson counts the number that
// is expected, and a model does not depend on the scale of y.
class Tweedie final : public Objective {
 public:
  Tweedie(std::span<const double> targets, std::span<const double> weights, double power);

  double initial_score() const override { return log_mean_; }
  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float* h) const override;

 private:
  double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }

  std::span<const double> targets_;
  std::span<const double> weights_;
  double power_;
  double mean_ = 0.0;
  double log_mean_ = 0.0;
  double dispersion_ = 1.0;  // of y / mean(y)
};

// What the losses of the family share: exp, kept finite, and the checks of targets.
double log_link(double score);
void check_not_negative(std::span<const double> targets, std::string_view loss);

extern const Loss kTweedie;

}  // namespace plboost
