#include "core/metric/cross_entropy.hpp"

#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/metric/class_targets.hpp"

namespace plboost {
namespace {

void check_probability(double target) {
  if (target >= 0.0 && target <= 1.0) return;
  throw InvalidInput(
      "a target of an evaluation set must be between 0 and 1 for loss='cross_entropy', got " +
      shown(target) + ".");
}

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters&) {
  double total = 0.0;
  double loss = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    check_probability(targets[i]);
    const double weight = weights.empty() ? 1.0 : weights[i];
    // -y log p - (1 - y) log(1 - p), written so that exp never overflows.
    const double tail = std::log1p(std::exp(-std::abs(scores[i])));
    const double wrong = scores[i] >= 0.0 ? 1.0 - targets[i] : targets[i];
    total += weight;
    loss += weight * (tail + wrong * std::abs(scores[i]));
  }
  return loss / total;
}

}  // namespace

double class_cross_entropy(std::span<const double> scores, std::span<const double> targets,
                           std::span<const double> weights, std::size_t n_outputs,
                           const MetricParameters&) {
  const std::size_t n_rows = scores.size() / n_outputs;
  const bool of_classes = targets.size() == n_rows;
  const std::vector<double> normalisers = log_normalisers(scores, n_outputs);
  double total = 0.0;
  double loss = 0.0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    double row = 0.0;
    if (of_classes) {
      if (!(targets[i] >= 0.0 && targets[i] < static_cast<double>(n_outputs))) {
        throw InvalidInput("a target of an evaluation set must be a class from 0 to " +
                           std::to_string(n_outputs - 1) + ", got " + shown(targets[i]) + ".");
      }
      row = normalisers[i] - scores[static_cast<std::size_t>(targets[i]) * n_rows + i];
    } else {
      for (std::size_t k = 0; k < n_outputs; ++k) {
        const double target = targets[k * n_rows + i];
        check_probability(target);
        if (target > 0.0) row += target * (normalisers[i] - scores[k * n_rows + i]);
      }
    }
    const double weight = weights.empty() ? 1.0 : weights[i];
    total += weight;
    loss += weight * row;
  }
  return loss / total;
}

constinit const Metric kCrossEntropyMetric{.name = "cross_entropy",
                                           .measures = Predictions::kProbabilities,
                                           .only_loss = "cross_entropy",
                                           .evaluate = evaluate,
                                           .evaluate_joint = class_cross_entropy};

}  // namespace plboost
