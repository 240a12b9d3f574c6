#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/metric/metric.hpp"

namespace plboost {

// The weight of each class. Throws InvalidInput, naming the metric, for targets that are none.
std::vector<double> class_weights(std::string_view metric, std::span<const double> targets,
                                  std::span<const double> weights, std::size_t n_classes);

// Throws InvalidInput, naming the metric, where one of more than two classes has no rows.
void check_all_classes(std::string_view metric, std::span<const double> weights);

// Of each row: the logarithm of the sum of exp(score) over the classes, whose scores follow one
// another.
std::vector<double> log_normalisers(std::span<const double> scores, std::size_t n_classes);

// A metric of two classes for each class against the others, by the probabilities of the class:
// their mean. The scores of classes follow one another; targets are classes, or 0 and 1 for each.
double mean_over_classes(decltype(Metric::evaluate) evaluate, std::span<const double> scores,
                         std::span<const double> targets, std::span<const double> weights,
                         std::size_t n_classes, const MetricParameters& parameters);

// The same as Metric::evaluate_joint.
template <decltype(Metric::evaluate) kEvaluate>
double mean_over_classes(std::span<const double> scores, std::span<const double> targets,
                         std::span<const double> weights, std::size_t n_classes,
                         const MetricParameters& parameters) {
  return mean_over_classes(kEvaluate, scores, targets, weights, n_classes, parameters);
}

}  // namespace plboost
