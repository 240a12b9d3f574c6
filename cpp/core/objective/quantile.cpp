#include "core/objective/quantile.hpp"

#include "core/objective/pinball.hpp"

namespace plboost {

constinit const Loss kQuantile{
    .name = "quantile",
    .metric = "pinball",
    .predicts = Predictions::kNumbers,
    .link = [](double score) { return score; },
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters& parameters) -> std::unique_ptr<Objective> {
      const double level = parameters.alpha.empty() ? 0.5 : parameters.alpha.front();
      return std::make_unique<Pinball>(targets, weights, level);
    },
};

}  // namespace plboost
