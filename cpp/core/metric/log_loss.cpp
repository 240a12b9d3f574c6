#include "core/metric/log_loss.hpp"

#include <cmath>

#include "core/metric/cross_entropy.hpp"

namespace plboost {
namespace {

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters&) {
  double total = 0.0;
  double loss = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    // -log p of the true class is log(1 + exp(-margin)), written so that exp never overflows.
    const double margin = targets[i] == 1.0 ? scores[i] : -scores[i];
    const double tail = std::log1p(std::exp(-std::abs(margin)));
    total += weight;
    loss += weight * (margin >= 0.0 ? tail : tail - margin);
  }
  return loss / total;
}

}  // namespace

constinit const Metric kLogLossMetric{.name = "log_loss",
                                      .measures = Predictions::kProbabilities,
                                      .only_loss = "log_loss",
                                      .evaluate = evaluate,
                                      .evaluate_joint = class_cross_entropy};

}  // namespace plboost
