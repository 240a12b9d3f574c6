#pragma once

#include "core/metric/metric.hpp"

namespace plboost {

extern const Metric kCrossEntropyMetric;

// Of several classes: targets are one column of classes or, for each output, one of probabilities.
double class_cross_entropy(std::span<const double> scores, std::span<const double> targets,
                           std::span<const double> weights, std::size_t n_outputs,
                           const MetricParameters&);

}  // namespace plboost
