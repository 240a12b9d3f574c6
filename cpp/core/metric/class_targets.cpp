#include "core/metric/class_targets.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"

namespace plboost {

std::vector<double> class_weights(std::string_view metric, std::span<const double> targets,
                                  std::span<const double> weights, std::size_t n_classes) {
  std::vector<double> total(n_classes);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double target = targets[i];
    if (!(target >= 0.0 && target < static_cast<double>(n_classes) &&
          target == std::floor(target))) {
      throw InvalidInput("the metric " + std::string(metric) + " needs targets " +
                         (n_classes == 2 ? "0 and 1" : "0 to " + std::to_string(n_classes - 1)) +
                         ", got " + shown(target) +
                         " in an evaluation set. Use the metric of the loss.");
    }
    total[static_cast<std::size_t>(target)] += weights.empty() ? 1.0 : weights[i];
  }
  return total;
}

void check_all_classes(std::string_view metric, std::span<const double> weights) {
  const auto none = std::find(weights.begin(), weights.end(), 0.0);
  if (none == weights.end()) return;
  throw InvalidInput("the metric " + std::string(metric) +
                     " needs rows of every class in every evaluation set, got none of class " +
                     std::to_string(none - weights.begin()) + ". Use log_loss or error.");
}

std::vector<double> log_normalisers(std::span<const double> scores, std::size_t n_classes) {
  const std::size_t n_rows = scores.size() / n_classes;
  std::vector<double> normalisers(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    double largest = scores[i];
    for (std::size_t k = 1; k < n_classes; ++k) largest = std::max(largest, scores[k * n_rows + i]);
    double sum = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) sum += std::exp(scores[k * n_rows + i] - largest);
    normalisers[i] = largest + std::log(sum);
  }
  return normalisers;
}

double mean_over_classes(decltype(Metric::evaluate) evaluate, std::span<const double> scores,
                         std::span<const double> targets, std::span<const double> weights,
                         std::size_t n_classes, const MetricParameters& parameters) {
  const std::size_t n_rows = scores.size() / n_classes;
  const std::vector<double> normalisers = log_normalisers(scores, n_classes);
  std::vector<double> probability(n_rows);
  std::vector<double> is_class(n_rows);
  double sum = 0.0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      probability[i] = std::exp(scores[k * n_rows + i] - normalisers[i]);
      is_class[i] = targets.size() == n_rows ? (targets[i] == static_cast<double>(k) ? 1.0 : 0.0)
                                             : targets[k * n_rows + i];
    }
    sum += evaluate(probability, is_class, weights, parameters);
  }
  return sum / static_cast<double>(n_classes);
}

}  // namespace plboost
