#include "core/metric/gamma_deviance.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/metric/weighted_mean.hpp"

namespace plboost {
namespace {

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  return weighted_mean(scores.size(), weights, [&](std::size_t i) {
    const double ratio = targets[i] / parameters.link(scores[i]);
    return 2.0 * (ratio - 1.0 - std::log(ratio));
  });
}

void check(std::span<const double> targets, std::span<const double>, std::size_t) {
  for (const double target : targets) {
    if (target > 0.0) continue;
    throw InvalidInput("the metric gamma_deviance needs targets > 0, got " + shown(target) +
                       " in an evaluation set.");
  }
}

}  // namespace

constinit const Metric kGammaDeviance{.name = "gamma_deviance",
                                      .measures = Predictions::kPositiveNumbers,
                                      .evaluate = evaluate,
                                      .check = check};

}  // namespace plboost
