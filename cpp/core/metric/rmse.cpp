#include "core/metric/rmse.hpp"

#include <algorithm>
#include <cmath>

namespace plboost {
namespace {

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  // Errors are divided by the largest one: their squares neither overflow nor vanish.
  double largest = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    largest = std::max(largest, std::abs(parameters.link(scores[i]) - targets[i]));
  }
  if (largest == 0.0) return 0.0;
  double total = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    const double error = (parameters.link(scores[i]) - targets[i]) / largest;
    total += weight;
    square += weight * error * error;
  }
  return largest * std::sqrt(square / total);
}

}  // namespace

constinit const Metric kRmse{.name = "rmse", .evaluate = evaluate};

}  // namespace plboost
