#include "core/boost/trainer.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/boost/evaluation.hpp"
#include "core/grow/grower.hpp"
#include "core/grow/leaf_models.hpp"
#include "core/metric/metric.hpp"
#include "core/objective/objective.hpp"

namespace plboost {
namespace {

// Rows whose gradients one task computes.
constexpr std::size_t kGrain = 16384;
// The statistics of a bin grow with the square of the regressors.
constexpr std::size_t kLargestFullModel = 256;

GrowOptions grow_options(const BoostOptions& options, const Objective& objective,
                         const Dataset& dataset) {
  GrowOptions grow = options.grow;
  grow.split.min_gain *= objective.gain_scale();
  if (objective.curvature() == Objective::Curvature::kObserved) {
    grow.slope_noise = SlopeNoise::kScattered;
  }
  if (grow.split.regressors == RegressorChoice::kAll) {
    if (grow.split.fitting != Fitting::kFullyCorrective) {
      throw InvalidInput("regressors='all' needs fitting='fully_corrective'.");
    }
    if (dataset.features().size() > kLargestFullModel) {
      throw InvalidInput("regressors='all' fits every feature in every node and takes at most " +
                         std::to_string(kLargestFullModel) + " features, got " +
                         std::to_string(dataset.features().size()) + ". Use regressors='path'.");
    }
  }
  return grow;
}

Forest empty_forest(const BoostOptions& options, const Objective& objective,
                    const Dataset& dataset) {
  Forest forest;
  forest.loss = options.loss;
  forest.base_score = objective.initial_score();
  for (const FeatureBins& bins : dataset.bins()) {
    forest.features.push_back(
        {.mean = bins.mean, .scale = bins.scale, .low = bins.low, .high = bins.high});
  }
  return forest;
}

// Shrinks the tree's outputs by the learning rate and takes them from the objective's unit to that
// of the scores.
void scale_outputs(Tree& tree, double factor) {
  for (Leaf& leaf : tree.leaves) {
    leaf.intercept *= factor;
    leaf.low *= factor;
    leaf.high *= factor;
  }
  for (Slope& regressor : tree.regressors) regressor.slope *= factor;
}

std::optional<LeafRenewal> renewal_of(const Objective& objective, std::span<const double> scores) {
  const std::optional<Renewal> renewal = objective.renewal();
  if (!renewal) return std::nullopt;
  return LeafRenewal{renewal->level, renewal->targets, scores, renewal->weights, objective.unit()};
}

}  // namespace

Forest train(const Dataset& dataset, const BoostOptions& options,
             std::span<const EvaluationSet> evaluation_sets, const TrainingHooks& hooks,
             ThreadPool& pool) {
  const Loss& loss = find_loss(options.loss);
  const std::unique_ptr<Objective> objective =
      loss.make(dataset.targets(), dataset.weights(), options.loss_parameters);
  Forest forest = empty_forest(options, *objective, dataset);
  Evaluation evaluation(evaluation_sets, find_metric(loss.metric),
                        metric_parameters(loss, options.loss_parameters), forest);
  const GrowOptions grow = grow_options(options, *objective, dataset);
  Grower grower(dataset, grow, pool, hooks.check_interrupt);
  LeafModelFitter leaf_models(dataset, grow, pool);
  std::vector<double> scores(dataset.n_rows(), forest.base_score);
  std::vector<float> g(dataset.n_rows());
  std::vector<float> h(objective->hessian() == Objective::Hessian::kVaries ? g.size() : 0);
  const auto update_gradients = [&](std::size_t begin, std::size_t end) {
    objective->gradients(scores, begin, end, g.data(), h.data());
  };
  const auto start_round = [&] {
    objective->adapt(scores);
    pool.run_range(scores.size(), kGrain, update_gradients);
  };
  start_round();
  Random random(options.seed);
  for (int round = 0; round < options.n_rounds; ++round) {
    hooks.check_interrupt();
    const std::size_t first_row = random.below(static_cast<std::uint32_t>(dataset.n_rows()));
    const Skeleton& skeleton = grower.grow({g, h}, first_row);
    Tree tree = leaf_models.fit(skeleton, {g, h}, grower.order(), renewal_of(*objective, scores));
    const double factor = options.learning_rate * objective->unit();
    if (objective->adapts()) {
      leaf_models.add_outputs(tree, factor, scores, [](std::size_t, std::size_t) {});
      start_round();
    } else {
      leaf_models.add_outputs(tree, factor, scores, update_gradients);
    }
    scale_outputs(tree, factor);
    forest.trees.push_back(std::move(tree));
    hooks.on_round(round, evaluation.after_round(forest, pool));
  }
  return forest;
}

}  // namespace plboost
