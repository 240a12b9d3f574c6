#include "core/metric/rmse.hpp"

#include <cmath>

namespace plboost {
namespace {

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights) {
  double total = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    const double error = scores[i] - targets[i];
    total += weight;
    square += weight * error * error;
  }
  return std::sqrt(square / total);
}

}  // namespace

constinit const Metric kRmse{.name = "rmse", .evaluate = evaluate};

}  // namespace plboost
