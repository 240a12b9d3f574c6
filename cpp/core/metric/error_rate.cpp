#include "core/metric/error_rate.hpp"

#include "core/metric/weighted_mean.hpp"

namespace plboost {
namespace {

// The part of the rows whose more probable class is not theirs.
double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters&) {
  return weighted_mean(scores.size(), weights, [&](std::size_t i) {
    return (scores[i] > 0.0) == (targets[i] == 1.0) ? 0.0 : 1.0;
  });
}

}  // namespace

constinit const Metric kErrorRate{
    .name = "error", .measures = Predictions::kProbabilities, .evaluate = evaluate};

}  // namespace plboost
