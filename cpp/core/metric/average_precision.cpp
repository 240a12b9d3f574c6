#include "core/metric/average_precision.hpp"

#include "core/base/error.hpp"
#include "core/metric/class_targets.hpp"
#include "core/metric/ranked_rows.hpp"

namespace plboost {
namespace {

// The mean precision over the rows of class 1, each at the threshold of its own score.
double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters&) {
  TiedRows above;
  double sum = 0.0;
  for (const TiedRows& rows : ranked_rows(scores, targets, weights)) {
    above.positive += rows.positive;
    above.negative += rows.negative;
    if (rows.positive > 0.0) {
      sum += rows.positive * (above.positive / (above.positive + above.negative));
    }
  }
  return sum / above.positive;
}

void check(std::span<const double> targets, std::span<const double> weights,
           std::size_t n_classes) {
  const std::vector<double> classes =
      class_weights("average_precision", targets, weights, n_classes);
  if (n_classes > 2) return check_all_classes("average_precision", classes);
  if (classes[1] > 0.0) return;
  throw InvalidInput(
      "the metric average_precision needs rows of class 1 in every evaluation set, got none. Use "
      "log_loss or error.");
}

}  // namespace

constinit const Metric kAveragePrecision{.name = "average_precision",
                                         .measures = Predictions::kProbabilities,
                                         .better = Metric::Better::kHigher,
                                         .evaluate = evaluate,
                                         .evaluate_joint = mean_over_classes<evaluate>,
                                         .check = check};

}  // namespace plboost
