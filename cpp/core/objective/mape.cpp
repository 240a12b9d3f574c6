#include "core/objective/mape.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/objective/pinball.hpp"

namespace plboost {
namespace {

// A percentage is an absolute error that weighs 1 / |y|, here scaled to the total of the row
// weights: l2, min_hessian and min_gain then mean what they mean for the absolute error.
std::vector<double> relative_weights(std::span<const double> targets,
                                     std::span<const double> weights) {
  std::vector<double> relative(targets.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] == 0.0) {
      throw InvalidInput(
          "y must not hold 0 for loss='mape', which divides by |y|. Drop these rows, or use "
          "loss='absolute_error'.");
    }
    // Relative to a target of the data: 1 / |y| alone may overflow.
    relative[i] = (weights.empty() ? 1.0 : weights[i]) * std::abs(targets[0] / targets[i]);
    largest = std::max(largest, relative[i]);
  }
  double total = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    relative[i] /= largest;
    sum += relative[i];
    total += weights.empty() ? 1.0 : weights[i];
  }
  for (double& weight : relative) weight *= total / sum;
  return relative;
}

}  // namespace

constinit const Loss kMape{
    .name = "mape",
    .metric = "mape",
    .predicts = Predictions::kNumbers,
    .link = [](double score) { return score; },
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters&) -> std::unique_ptr<Objective> {
      return std::make_unique<Pinball>(targets, relative_weights(targets, weights), 0.5);
    },
};

}  // namespace plboost
