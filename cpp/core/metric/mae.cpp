#include "core/metric/mae.hpp"

#include <cmath>

#include "core/metric/weighted_mean.hpp"

namespace plboost {
namespace {

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  return weighted_mean(scores.size(), weights, [&](std::size_t i) {
    return std::abs(targets[i] - parameters.link(scores[i]));
  });
}

}  // namespace

constinit const Metric kMae{.name = "mae", .evaluate = evaluate};

}  // namespace plboost
