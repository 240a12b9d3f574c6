#include "core/metric/error_rate.hpp"

#include "core/metric/class_targets.hpp"
#include "core/metric/weighted_mean.hpp"

namespace plboost {
namespace {

// The part of the rows whose more probable class is not theirs.
double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters&) {
  return weighted_mean(scores.size(), weights, [&](std::size_t i) {
    return (scores[i] > 0.0) == (targets[i] == 1.0) ? 0.0 : 1.0;
  });
}

double evaluate_joint(std::span<const double> scores, std::span<const double> targets,
                      std::span<const double> weights, std::size_t n_outputs,
                      const MetricParameters&) {
  const std::size_t n_rows = scores.size() / n_outputs;
  return weighted_mean(n_rows, weights, [&](std::size_t i) {
    std::size_t likeliest = 0;
    for (std::size_t k = 1; k < n_outputs; ++k) {
      if (scores[k * n_rows + i] > scores[likeliest * n_rows + i]) likeliest = k;
    }
    const bool is_right = targets.size() == n_rows ? targets[i] == static_cast<double>(likeliest)
                                                   : targets[likeliest * n_rows + i] == 1.0;
    return is_right ? 0.0 : 1.0;
  });
}

void check(std::span<const double> targets, std::span<const double> weights,
           std::size_t n_classes) {
  class_weights("error", targets, weights, n_classes);
}

}  // namespace

constinit const Metric kErrorRate{.name = "error",
                                  .measures = Predictions::kProbabilities,
                                  .evaluate = evaluate,
                                  .evaluate_joint = evaluate_joint,
                                  .check = check};

}  // namespace plboost
