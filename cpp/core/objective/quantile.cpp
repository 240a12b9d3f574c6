#include "core/objective/quantile.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/objective/joint_objective.hpp"
#include "core/objective/pinball.hpp"

namespace plboost {
namespace {

// One output for each of several levels.
std::unique_ptr<JointObjective> make_levels(const TargetTable& targets,
                                            std::span<const double> weights,
                                            const LossParameters& parameters) {
  if (targets.n_columns > 1) {
    throw InvalidInput("loss='quantile' takes one column of y, got " +
                       std::to_string(targets.n_columns) +
                       ": the columns of its predictions are the levels alpha. Train a model for "
                       "each column of y.");
  }
  if (parameters.alpha.size() < 2) return nullptr;
  std::vector<std::unique_ptr<Objective>> levels;
  for (std::size_t k = 0; k < parameters.alpha.size(); ++k) {
    if (k > 0 && !(parameters.alpha[k - 1] < parameters.alpha[k])) {
      throw InvalidInput("alpha must increase from level to level, got " +
                         shown(parameters.alpha[k - 1]) + " before " + shown(parameters.alpha[k]) +
                         ".");
    }
    levels.push_back(std::make_unique<Pinball>(targets.column(0), weights, parameters.alpha[k]));
  }
  return side_by_side(std::move(levels), targets.n_rows());
}

}  // namespace

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
    .make_joint = make_levels,
    // Levels that are fitted one by one may cross. Sorted, they do not, and are never further from
    // the quantiles (Chernozhukov, Fernandez-Val and Galichon 2010).
    .joint_link = [](std::span<double> row) { std::sort(row.begin(), row.end()); },
};

}  // namespace plboost
