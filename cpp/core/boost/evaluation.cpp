#include "core/boost/evaluation.hpp"

#include <utility>

#include "core/base/error.hpp"
#include "core/predict/predictor.hpp"

namespace plboost {
namespace {

void check_set(const EvaluationSet& set, const Forest& forest, std::size_t n_target_columns) {
  const std::size_t n_rows = set.x.n_rows;
  if (set.x.n_columns != forest.features.size()) {
    throw InvalidInput("an evaluation set has " + std::to_string(set.x.n_columns) +
                       " features, the training data " + std::to_string(forest.features.size()) +
                       ".");
  }
  if (set.targets.size() != n_rows * n_target_columns ||
      (!set.weights.empty() && set.weights.size() != n_rows)) {
    throw InvalidInput("an evaluation set must have one target and one weight for each of its " +
                       std::to_string(n_rows) + " rows" +
                       (n_target_columns == 1 ? "" : " and columns of y") + ".");
  }
  if (!set.initial_scores.empty() && set.initial_scores.size() != n_rows * forest.n_outputs()) {
    throw InvalidInput("the init_score of an evaluation set must have " +
                       std::to_string(forest.n_outputs()) + " values for each of its " +
                       std::to_string(n_rows) + " rows, got " +
                       std::to_string(set.initial_scores.size()) + " in all.");
  }
}

std::vector<double> first_scores(const EvaluationSet& set, const Forest& forest) {
  std::vector<double> scores;
  for (const double base : forest.base_score) scores.insert(scores.end(), set.x.n_rows, base);
  for (std::size_t i = 0; i < set.initial_scores.size(); ++i) scores[i] += set.initial_scores[i];
  return scores;
}

}  // namespace

Evaluation::Evaluation(std::vector<EvaluationSet> sets, const std::vector<std::string>& metrics,
                       const Forest& forest, std::size_t n_target_columns)
    : sets_(std::move(sets)) {
  for (const std::string& name : metrics) metrics_.push_back(&find_metric(name));
  for (const EvaluationSet& set : sets_) {
    check_set(set, forest, n_target_columns);
    scores_.push_back(first_scores(set, forest));
  }
}

void Evaluation::start(const Forest& forest, ThreadPool& pool) {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    scores_[i] = first_scores(sets_[i], forest);
    add_outputs(forest, 0, forest.trees.size(), sets_[i].x, scores_[i], pool);
  }
}

void Evaluation::add_round(const Forest& forest, ThreadPool& pool) {
  const std::size_t n_trees = forest.trees.size();
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    add_outputs(forest, n_trees - forest.n_outputs(), n_trees, sets_[i].x, scores_[i], pool);
  }
}

std::vector<double> Evaluation::metrics() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const EvaluationSet& set = sets_[i];
    for (const Metric* metric : metrics_) {
      values.push_back(evaluate(*metric, scores_[i], set.targets, set.weights, set.x.n_rows));
    }
  }
  return values;
}

}  // namespace plboost
