#include "core/metric/auc.hpp"

#include "core/metric/class_targets.hpp"
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

void check(std::span<const double> targets, std::span<const double> weights,
           std::size_t n_classes) {
  check_all_classes("auc", class_weights("auc", targets, weights, n_classes));
}

}  // namespace

constinit const Metric kAuc{.name = "auc",
                            .measures = Predictions::kProbabilities,
                            .better = Metric::Better::kHigher,
                            .evaluate = evaluate,
                            .evaluate_joint = mean_over_classes<evaluate>,
                            .check = check};

}  // namespace plboost
