#include <string>

#include "core/base/error.hpp"
#include "core/metric/log_loss.hpp"
#include "core/metric/metric.hpp"
#include "core/metric/rmse.hpp"

namespace plboost {

const Metric& find_metric(std::string_view name) {
  static constexpr const Metric* kMetrics[] = {&kRmse, &kLogLossMetric};
  std::string known;
  for (const Metric* metric : kMetrics) {
    if (metric->name == name) return *metric;
    known += (known.empty() ? "" : ", ") + std::string(metric->name);
  }
  throw InvalidInput("metric must be one of " + known + "; got '" + std::string(name) + "'.");
}

}  // namespace plboost
