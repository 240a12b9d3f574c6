#include "core/metric/poisson_deviance.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/metric/weighted_mean.hpp"

namespace plboost {
namespace {

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  return weighted_mean(scores.size(), weights, [&](std::size_t i) {
    const double y = targets[i];
    const double mu = parameters.link(scores[i]);
    // Not the score: a prediction of exactly 0 is as bad for y > 0 as scikit-learn says, infinite.
    return 2.0 * ((y > 0.0 ? y * std::log(y / mu) : 0.0) - y + mu);
  });
}

void check(std::span<const double> targets, std::span<const double>, std::size_t) {
  for (const double target : targets) {
    if (target >= 0.0) continue;
    throw InvalidInput("the metric poisson_deviance needs targets >= 0, got " + shown(target) +
                       " in an evaluation set.");
  }
}

}  // namespace

constinit const Metric kPoissonDeviance{.name = "poisson_deviance",
                                        .measures = Predictions::kPositiveNumbers,
                                        .evaluate = evaluate,
                                        .check = check};

}  // namespace plboost
