#include <string>

#include "core/base/error.hpp"
#include "core/metric/cross_entropy.hpp"
#include "core/metric/log_loss.hpp"
#include "core/metric/metric.hpp"
#include "core/metric/rmse.hpp"

namespace plboost {

const Metric& find_metric(std::string_view name) {
  static constexpr const Metric* kMetrics[] = {&kRmse, &kLogLossMetric, &kCrossEntropyMetric};
  std::string known;
  for (const Metric* metric : kMetrics) {
    if (metric->name == name) return *metric;
    known += (known.empty() ? "" : ", ") + std::string(metric->name);
  }
  throw InvalidInput("metric must be one of " + known + "; got '" + std::string(name) + "'.");
}

double evaluate(const Metric& metric, std::span<const double> scores,
                std::span<const double> targets, std::span<const double> weights,
                std::size_t n_rows) {
  if (scores.size() == n_rows) return metric.evaluate(scores, targets, weights);
  const std::size_t n_outputs = scores.size() / n_rows;
  if (metric.evaluate_joint != nullptr) {
    return metric.evaluate_joint(scores, targets, weights, n_outputs);
  }
  if (targets.size() != scores.size()) {
    throw InvalidInput("the metric " + std::string(metric.name) + " needs a target for each of the " +
                       std::to_string(n_outputs) + " outputs. Use log_loss.");
  }
  double sum = 0.0;
  for (std::size_t first = 0; first < scores.size(); first += n_rows) {
    sum += metric.evaluate(scores.subspan(first, n_rows), targets.subspan(first, n_rows), weights);
  }
  return sum / static_cast<double>(n_outputs);
}

}  // namespace plboost
