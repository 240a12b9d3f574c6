#include "core/metric/mape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/metric/weighted_mean.hpp"

namespace plboost {
namespace {

// A target of 0 counts as the smallest step beside 1, as in scikit-learn.
double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  return weighted_mean(scores.size(), weights, [&](std::size_t i) {
    const double size = std::max(std::abs(targets[i]), std::numeric_limits<double>::epsilon());
    return std::abs(targets[i] - parameters.link(scores[i])) / size;
  });
}

}  // namespace

constinit const Metric kMapeMetric{.name = "mape", .evaluate = evaluate};

}  // namespace plboost
