#include "core/metric/auc.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/metric/ranked_rows.hpp"

namespace plboost {
namespace {

// The probability that a row of class 1 has a larger score than one of class 0; equal ones count
// half.
double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters&) {
  TiedRows above;
  double pairs = 0.0;
  for (const TiedRows& rows : ranked_rows(scores, targets, weights)) {
    pairs += rows.negative * (above.positive + rows.positive / 2);
    above.positive += rows.positive;
    above.negative += rows.negative;
  }
  return pairs / (above.positive * above.negative);
}

void check(std::span<const double> targets, std::span<const double> weights) {
  const TiedRows classes = class_weights("auc", targets, weights);
  if (classes.positive > 0.0 && classes.negative > 0.0) return;
  throw InvalidInput(
      "the metric auc needs rows of both classes in every evaluation set, got only class " +
      std::string(classes.positive > 0.0 ? "1" : "0") + ". Use log_loss or error.");
}

}  // namespace

constinit const Metric kAuc{.name = "auc",
                            .measures = Predictions::kProbabilities,
                            .better = Metric::Better::kHigher,
                            .evaluate = evaluate,
                            .check = check};

}  // namespace plboost
