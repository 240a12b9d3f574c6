#include "core/boost/evaluation.hpp"

#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/predict/predictor.hpp"

namespace plboost {

MetricParameters metric_parameters(const Loss& loss, const LossParameters& given) {
  MetricParameters parameters;
  parameters.link = loss.link;
  if (!given.alpha.empty()) parameters.alpha = given.alpha;
  if (given.power) parameters.power = *given.power;
  return parameters;
}

Evaluation::Evaluation(std::span<const EvaluationSet> sets, const Metric& metric,
                       MetricParameters parameters, const Forest& forest)
    : sets_(sets), metric_(metric), parameters_(std::move(parameters)) {
  for (const EvaluationSet& set : sets) {
    if (set.x.n_columns != forest.features.size()) {
      throw InvalidInput("an evaluation set has " + std::to_string(set.x.n_columns) +
                         " features, the training data " + std::to_string(forest.features.size()) +
                         ".");
    }
    if (set.targets.size() != set.x.n_rows ||
        (!set.weights.empty() && set.weights.size() != set.x.n_rows)) {
      throw InvalidInput("an evaluation set must have one target and one weight for each of its " +
                         std::to_string(set.x.n_rows) + " rows.");
    }
    if (metric.check != nullptr) metric.check(set.targets, set.weights);
    scores_.emplace_back(set.x.n_rows, forest.base_score);
  }
}

std::vector<double> Evaluation::after_round(const Forest& forest, ThreadPool& pool) {
  std::vector<double> metrics;
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    add_outputs(forest, forest.trees.size() - 1, forest.trees.size(), sets_[i].x, scores_[i], pool);
    metrics.push_back(
        metric_.evaluate(scores_[i], sets_[i].targets, sets_[i].weights, parameters_));
  }
  return metrics;
}

}  // namespace plboost
