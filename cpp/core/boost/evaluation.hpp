#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/matrix_view.hpp"
#include "core/base/queries.hpp"
#include "core/base/thread_pool.hpp"
#include "core/metric/metric.hpp"
#include "core/objective/objective.hpp"
#include "core/tree/forest.hpp"

namespace plboost {

// Rows to measure the model on after every round; the views are the caller's.
struct EvaluationSet {
  MatrixView x;
  std::span<const double> targets;         // column after column
  std::span<const double> weights;         // empty: all 1
  std::span<const double> initial_scores;  // added to the base score, output after output; empty: 0
  std::span<const std::int64_t> query_sizes;  // empty: the rows know nothing of each other
};

// What the metrics are to know of the loss.
MetricParameters metric_parameters(const Loss& loss, const LossParameters& given);

// Follows the scores of the evaluation sets while the forest grows.
class Evaluation {
 public:
  Evaluation(std::vector<EvaluationSet> sets, std::vector<RequestedMetric> metrics,
             MetricParameters parameters, const Forest& forest, std::size_t n_target_columns);

  // Computes the scores of all trees of the forest: the same bits as round by round.
  void start(const Forest& forest, ThreadPool& pool);
  // Adds the trees of the forest's last round.
  void add_round(const Forest& forest, ThreadPool& pool);

  // The metrics of the first set, then those of the second, and so on.
  std::vector<double> metrics() const;

  // Of each set, output after output.
  const std::vector<std::vector<double>>& scores() const { return scores_; }

 private:
  std::vector<EvaluationSet> sets_;
  std::vector<Queries> queries_;  // of each set
  std::vector<RequestedMetric> metrics_;
  MetricParameters parameters_;
  std::vector<std::vector<double>> scores_;
};

}  // namespace plboost
