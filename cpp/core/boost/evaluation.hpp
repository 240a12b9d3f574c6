#pragma once

#include <vector>

#include "core/boost/trainer.hpp"
#include "core/metric/metric.hpp"

namespace plboost {

// Follows the scores of the evaluation sets while the forest grows.
class Evaluation {
 public:
  Evaluation(std::span<const EvaluationSet> sets, const Metric& metric, const Forest& forest);

  // Adds the forest's last tree and returns the metric of every set.
  std::vector<double> after_round(const Forest& forest, ThreadPool& pool);

 private:
  std::span<const EvaluationSet> sets_;
  const Metric& metric_;
  std::vector<std::vector<double>> scores_;
};

}  // namespace plboost
