#include "core/metric/tweedie_deviance.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/metric/weighted_mean.hpp"

namespace plboost {
namespace {

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  const double p = parameters.power;
  return weighted_mean(scores.size(), weights, [&](std::size_t i) {
    const double y = targets[i];
    const double mu = parameters.link(scores[i]);
    return 2.0 * (std::pow(y, 2.0 - p) / ((1.0 - p) * (2.0 - p)) -
                  y * std::pow(mu, 1.0 - p) / (1.0 - p) + std::pow(mu, 2.0 - p) / (2.0 - p));
  });
}

void check(std::span<const double> targets, std::span<const double>, std::size_t) {
  for (const double target : targets) {
    if (target >= 0.0) continue;
    throw InvalidInput("the metric tweedie_deviance needs targets >= 0, got " + shown(target) +
                       " in an evaluation set.");
  }
}

}  // namespace

constinit const Metric kTweedieDeviance{.name = "tweedie_deviance",
                                        .measures = Predictions::kPositiveNumbers,
                                        .only_loss = "tweedie",
                                        .evaluate = evaluate,
                                        .check = check};

}  // namespace plboost
