#include "core/objective/gamma.hpp"

#include "core/base/error.hpp"
#include "core/objective/tweedie.hpp"

namespace plboost {

constinit const Loss kGamma{
    .name = "gamma",
    .metric = "gamma_deviance",
    .predicts = Predictions::kPositiveNumbers,
    .link = log_link,
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters&) -> std::unique_ptr<Objective> {
      for (const double target : targets) {
        if (target > 0.0) continue;
        throw InvalidInput("y must be positive for loss='gamma', got " + shown(target) +
                           ". Use loss='tweedie' for targets that may be 0.");
      }
      return std::make_unique<Tweedie>(targets, weights, 2.0);
    },
};

}  // namespace plboost
