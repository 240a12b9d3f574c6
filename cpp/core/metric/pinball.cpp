#include "core/metric/pinball.hpp"

#include <algorithm>
#include <vector>

#include "core/metric/weighted_mean.hpp"

namespace plboost {
namespace {

double loss_of(double residual, double level) {
  return residual >= 0.0 ? level * residual : (level - 1.0) * residual;
}

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  return weighted_mean(scores.size(), weights, [&](std::size_t i) {
    return loss_of(targets[i] - scores[i], parameters.alpha.front());
  });
}

// The mean over the levels, of scores in the order in which they are predicted: sorted.
double evaluate_levels(std::span<const double> scores, std::span<const double> targets,
                       std::span<const double> weights, std::size_t n_levels,
                       const MetricParameters& parameters) {
  std::vector<double> row(n_levels);
  return weighted_mean(targets.size(), weights, [&](std::size_t i) {
    for (std::size_t k = 0; k < n_levels; ++k) row[k] = scores[k * targets.size() + i];
    std::sort(row.begin(), row.end());
    double sum = 0.0;
    for (std::size_t k = 0; k < n_levels; ++k) {
      sum += loss_of(targets[i] - row[k], parameters.alpha[k]);
    }
    return sum / static_cast<double>(n_levels);
  });
}

}  // namespace

constinit const Metric kPinballMetric{.name = "pinball",
                                      .only_loss = "quantile",
                                      .evaluate = evaluate,
                                      .evaluate_joint = evaluate_levels};

}  // namespace plboost
