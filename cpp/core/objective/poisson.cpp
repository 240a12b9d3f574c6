#include "core/objective/poisson.hpp"

#include "core/objective/tweedie.hpp"

namespace plboost {

constinit const Loss kPoisson{
    .name = "poisson",
    .metric = "poisson_deviance",
    .predicts = Predictions::kPositiveNumbers,
    .link = log_link,
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters&) -> std::unique_ptr<Objective> {
      check_not_negative(targets, "poisson");
      return std::make_unique<Tweedie>(targets, weights, 1.0);
    },
};

}  // namespace plboost
