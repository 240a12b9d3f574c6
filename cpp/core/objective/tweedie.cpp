#include "core/objective/tweedie.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"

namespace plboost {
namespace {

// What float32 holds with room for sums.
constexpr double kLargest = 1e35;
// Scores this far from the mean have gone astray; exp() of more would leave float32.
constexpr double kFarthest = 80.0;

// (ratio - 1) / log(ratio).
double logarithmic_mean(double ratio) {
  const double excess = ratio - 1.0;
  // The quotient of two small numbers has no digits; its series does.
  if (std::abs(excess) < 1e-4) return 1.0 + excess / 2 - excess * excess / 12;
  return ratio > 0.0 ? excess / std::log(ratio) : 0.0;
}

}  // namespace

Tweedie::Tweedie(std::span<const double> targets, std::span<const double> weights, double power)
    : targets_(targets), weights_(weights), power_(power) {
  double total = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i) total += weight(i);
  for (std::size_t i = 0; i < targets.size(); ++i) mean_ += targets[i] * (weight(i) / total);
  log_mean_ = std::log(mean_);
  double square = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double deviation = targets[i] / mean_ - 1.0;
    square += deviation * deviation * (weight(i) / total);
  }
  dispersion_ = std::max(square, 1e-6);
}

void Tweedie::gradients(std::span<const double> scores, std::size_t begin, std::size_t end,
                        float* g, float* h) const {
  for (std::size_t i = begin; i < end; ++i) {
    const double score = std::clamp(scores[i] - log_mean_, -kFarthest, kFarthest);
    const double scale = weight(i) / dispersion_ * std::exp((2.0 - power_) * score);
    const double ratio = targets_[i] / mean_ * std::exp(-score);  // y / mu
    // Newton's curvature, or that of the parabola whose minimum is the row's own, log y, where that
    // is larger: no row asks for a step beyond its target, so that nothing runs away.
    const double curvature =
        std::max((2.0 - power_) + (power_ - 1.0) * ratio, logarithmic_mean(ratio));
    g[i] = static_cast<float>(std::clamp(scale * (1.0 - ratio), -kLargest, kLargest));
    h[i] = static_cast<float>(std::min(scale * curvature, kLargest));
  }
}

// Finite for any score.
double log_link(double score) { return std::exp(std::min(score, 700.0)); }

void check_not_negative(std::span<const double> targets, std::string_view loss) {
  bool positive = false;
  for (const double target : targets) {
    if (target < 0.0) {
      throw InvalidInput("y must not be negative for loss='" + std::string(loss) + "', got " +
                         shown(target) + ". Use loss='squared_error' for targets of either sign.");
    }
    positive = positive || target > 0.0;
  }
  if (!positive) {
    throw InvalidInput("y must hold a positive number for loss='" + std::string(loss) +
                       "', got only 0: the logarithm of the mean is infinite.");
  }
}

constinit const Loss kTweedie{
    .name = "tweedie",
    .metric = "tweedie_deviance",
    .predicts = Predictions::kPositiveNumbers,
    .link = log_link,
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters& parameters) -> std::unique_ptr<Objective> {
      check_not_negative(targets, "tweedie");
      return std::make_unique<Tweedie>(targets, weights, parameters.power.value_or(1.5));
    },
};

}  // namespace plboost
