#pragma once

#include <vector>

#include "core/boost/trainer.hpp"
#include "core/metric/metric.hpp"
#include "core/objective/objective.hpp"

namespace plboost {

// What the metrics are to know of the loss.
MetricParameters metric_parameters(const Loss& loss, const LossParameters& given);

// Follows the scores of the evaluation sets while the forest grows.
class Evaluation {
 public:
  Evaluation(std::span<const EvaluationSet> sets, const Metric& metric, MetricParameters parameters,
             const Forest& forest);

  // Adds the forest's last tree and returns the metric of every set.
  std::vector<double> after_round(const Forest& forest, ThreadPool& pool);

 private:
  std::span<const EvaluationSet> sets_;
  const Metric& metric_;
  MetricParameters parameters_;
  std::vector<std::vector<double>> scores_;
};

}  // namespace plboost
