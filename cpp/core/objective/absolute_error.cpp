#include "core/objective/absolute_error.hpp"

#include "core/objective/pinball.hpp"

namespace plboost {

constinit const Loss kAbsoluteError{
    .name = "absolute_error",
    .metric = "mae",
    .predicts = Predictions::kNumbers,
    .link = [](double score) { return score; },
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters&) -> std::unique_ptr<Objective> {
      return std::make_unique<Pinball>(targets, weights, 0.5);
    },
};

}  // namespace plboost
