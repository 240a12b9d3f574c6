#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "core/base/error.hpp"
#include "core/metric/auc.hpp"
#include "core/metric/average_precision.hpp"
#include "core/metric/cross_entropy.hpp"
#include "core/metric/error_rate.hpp"
#include "core/metric/gamma_deviance.hpp"
#include "core/metric/log_loss.hpp"
#include "core/metric/mae.hpp"
#include "core/metric/mape.hpp"
#include "core/metric/mean_average_precision.hpp"
#include "core/metric/metric.hpp"
#include "core/metric/ndcg.hpp"
#include "core/metric/pinball.hpp"
#include "core/metric/poisson_deviance.hpp"
#include "core/metric/rmse.hpp"
#include "core/metric/tweedie_deviance.hpp"

namespace plboost {
namespace {

bool fits(const Metric& metric, std::string_view loss, Predictions predicted) {
  if (!metric.only_loss.empty()) return metric.only_loss == loss;
  return metric.measures == predicted ||
         (metric.measures == Predictions::kNumbers && predicted == Predictions::kPositiveNumbers);
}

const Metric& known_metric(std::string_view name) {
  std::string known;
  for (const Metric* metric : metrics()) {
    if (metric->name == name) return *metric;
    known += (known.empty() ? "" : ", ") + std::string(metric->name);
  }
  throw InvalidInput("metric must be one of " + known + "; got '" + std::string(name) + "'.");
}

}  // namespace

std::span<const Metric* const> metrics() {
  static constexpr const Metric* kMetrics[] = {&kRmse,
                                               &kMae,
                                               &kMapeMetric,
                                               &kPinballMetric,
                                               &kPoissonDeviance,
                                               &kGammaDeviance,
                                               &kTweedieDeviance,
                                               &kLogLossMetric,
                                               &kErrorRate,
                                               &kAuc,
                                               &kAveragePrecision,
                                               &kCrossEntropyMetric,
                                               &kNdcg,
                                               &kMeanAveragePrecision};
  return kMetrics;
}

RequestedMetric requested_metric(std::string_view name) {
  const std::size_t at = std::min(name.find('@'), name.size());
  const Metric& metric = known_metric(name.substr(0, at));
  RequestedMetric requested{&metric, MetricParameters{}.cutoff};
  if (at == name.size()) return requested;
  const std::string_view digits = name.substr(at + 1);
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, requested.cutoff);
  if (metric.measures == Predictions::kRanks && parsed.ec == std::errc() && parsed.ptr == end &&
      requested.cutoff > 0) {
    return requested;
  }
  throw InvalidInput("only ndcg and map have a cutoff, a whole number above 0 as in 'ndcg@5'; got '" +
                     std::string(name) + "'.");
}

const Metric& find_metric(std::string_view name) { return *requested_metric(name).metric; }

double evaluate(const Metric& metric, std::span<const double> scores,
                std::span<const double> targets, std::span<const double> weights,
                std::size_t n_rows, const MetricParameters& parameters) {
  if (scores.size() == n_rows) return metric.evaluate(scores, targets, weights, parameters);
  const std::size_t n_outputs = scores.size() / n_rows;
  if (metric.evaluate_joint != nullptr) {
    return metric.evaluate_joint(scores, targets, weights, n_outputs, parameters);
  }
  if (targets.size() != scores.size()) {
    throw InvalidInput("the metric " + std::string(metric.name) +
                       " needs a target for each of the " + std::to_string(n_outputs) +
                       " outputs. Use the metric of the loss.");
  }
  double sum = 0.0;
  for (std::size_t first = 0; first < scores.size(); first += n_rows) {
    sum += metric.evaluate(scores.subspan(first, n_rows), targets.subspan(first, n_rows), weights,
                           parameters);
  }
  return sum / static_cast<double>(n_outputs);
}

void check_fits(const Metric& metric, std::string_view loss, Predictions predicted) {
  if (fits(metric, loss, predicted)) return;
  std::string fitting;
  for (const Metric* other : metrics()) {
    if (!fits(*other, loss, predicted)) continue;
    fitting += (fitting.empty() ? "" : ", ") + std::string(other->name);
  }
  throw InvalidInput("the metric " + std::string(metric.name) + " does not fit loss='" +
                     std::string(loss) + "'. Use one of " + fitting + ".");
}

}  // namespace plboost
