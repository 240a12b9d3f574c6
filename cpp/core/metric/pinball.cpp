#include "core/metric/pinball.hpp"

#include "core/metric/weighted_mean.hpp"

namespace plboost {
namespace {

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  const double level = parameters.alpha.front();
  return weighted_mean(scores.size(), weights, [&](std::size_t i) {
    const double residual = targets[i] - scores[i];
    return residual >= 0.0 ? level * residual : (level - 1.0) * residual;
  });
}

}  // namespace

constinit const Metric kPinballMetric{
    .name = "pinball", .only_loss = "quantile", .evaluate = evaluate};

}  // namespace plboost
