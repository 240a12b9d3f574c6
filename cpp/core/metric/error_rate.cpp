#include "core/metric/error_rate.hpp"

#include "core/metric/ranked_rows.hpp"
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

void check(std::span<const double> targets, std::span<const double> weights) {
  class_weights("error", targets, weights);
}

}  // namespace

constinit const Metric kErrorRate{
    .name = "error", .measures = Predictions::kProbabilities, .evaluate = evaluate, .check = check};

}  // namespace plboost
