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

void check_targets(const Metric& metric, const EvaluationSet& set, std::size_t n_columns,
                   std::size_t n_outputs) {
  if (metric.check == nullptr) return;
  const std::size_t n_classes = n_columns == 1 && n_outputs > 1 ? n_outputs : 2;
  for (std::size_t column = 0; column < n_columns; ++column) {
    metric.check(set.targets.subspan(column * set.x.n_rows, set.x.n_rows), set.weights, n_classes);
  }
}

void check_queries(const Metric& metric, const Queries& queries) {
  if (metric.measures != Predictions::kRanks || !queries.empty()) return;
  throw InvalidInput("the metric " + std::string(metric.name) +
                     " needs the queries of every evaluation set. Pass their group.");
}

std::vector<double> first_scores(const EvaluationSet& set, const Forest& forest) {
  std::vector<double> scores;
  for (const double base : forest.base_score) scores.insert(scores.end(), set.x.n_rows, base);
  for (std::size_t i = 0; i < set.initial_scores.size(); ++i) scores[i] += set.initial_scores[i];
  return scores;
}

}  // namespace

MetricParameters metric_parameters(const Loss& loss, const LossParameters& given) {
  MetricParameters parameters;
  parameters.link = loss.link;
  if (!given.alpha.empty()) parameters.alpha = given.alpha;
  if (given.power) parameters.power = *given.power;
  return parameters;
}

Evaluation::Evaluation(std::vector<EvaluationSet> sets, std::vector<RequestedMetric> metrics,
                       MetricParameters parameters, const Forest& forest,
                       std::size_t n_target_columns)
    : sets_(std::move(sets)), metrics_(std::move(metrics)), parameters_(std::move(parameters)) {
  for (const EvaluationSet& set : sets_) {
    check_set(set, forest, n_target_columns);
    queries_.push_back(
        set.query_sizes.empty() ? Queries{} : consecutive_queries(set.query_sizes, set.x.n_rows));
    for (const RequestedMetric& requested : metrics_) {
      check_targets(*requested.metric, set, n_target_columns, forest.n_outputs());
      check_queries(*requested.metric, queries_.back());
    }
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
    MetricParameters parameters = parameters_;
    parameters.queries = &queries_[i];
    for (const RequestedMetric& requested : metrics_) {
      parameters.cutoff = requested.cutoff;
      values.push_back(evaluate(*requested.metric, scores_[i], set.targets, set.weights,
                                set.x.n_rows, parameters));
    }
  }
  return values;
}

}  // namespace plboost
