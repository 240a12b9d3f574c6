#include "core/objective/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/objective/logistic.hpp"

namespace plboost {
namespace {

// Rows of probabilities, often computed in float32, are taken for distributions up to this.
constexpr double kSumTolerance = 1e-5;

// exp(score - largest) of each class; returns the place of the largest.
std::size_t exponentials(std::span<double> row) {
  const auto largest = std::max_element(row.begin(), row.end());
  const auto place = static_cast<std::size_t>(largest - row.begin());
  const double shift = *largest;
  for (double& value : row) value = std::exp(value - shift);
  return place;
}

// To 22 significant bits (Veltkamp): a weight of 2, 3 or 4 is then the row so many times to the
// last bit, also in float32.
double shortened(double value) {
  const auto single = static_cast<float>(value);
  const float scaled = 5.0F * single;
  return static_cast<double>(scaled - (scaled - single));
}

// Targets are classes or, with a column for each output, probabilities.
class Softmax final : public JointObjective {
 public:
  Softmax(const TargetTable& targets, std::span<const double> weights,
          const std::vector<double>& class_weights)
      : targets_(targets), weights_(weights) {
    double total = 0.0;
    for (const double weight : class_weights) total += weight;
    for (const double weight : class_weights) log_priors_.push_back(std::log(weight / total));
  }

  std::size_t n_outputs() const override { return log_priors_.size(); }
  double initial_score(std::size_t output) const override { return log_priors_[output]; }

  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float* h) const override {
    const std::size_t n_rows = targets_.n_rows();
    const std::size_t n = n_outputs();
    // The diagonal of the hessian alone makes steps that are too long: all scores of a row may be
    // shifted without effect. Friedman (2001) takes K / (K - 1) times as much.
    const double factor = static_cast<double>(n) / static_cast<double>(n - 1);
    std::vector<double> row(n);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < n; ++k) row[k] = scores[k * n_rows + i];
      const std::size_t top = exponentials(row);
      // Added up without the largest, what the largest class leaves is exact, however little.
      double rest = 0.0;
      for (std::size_t k = 0; k < n; ++k) rest += k == top ? 0.0 : row[k];
      const double total = rest + row[top];
      const double weight = weights_.empty() ? 1.0 : weights_[i];
      for (std::size_t k = 0; k < n; ++k) {
        const double p = row[k] / total;
        const double q = (k == top ? rest : total - row[k]) / total;
        const double target = target_of(i, k);
        const double gradient = p * (1.0 - target) - q * target;
        const double hessian = hessian_for_steps(factor * p * q, gradient);
        g[k * n_rows + i] = static_cast<float>(weight * shortened(gradient));
        h[k * n_rows + i] = static_cast<float>(weight * shortened(hessian));
      }
    }
  }

 private:
  double target_of(std::size_t row, std::size_t output) const {
    if (targets_.n_columns > 1) return targets_.column(output)[row];
    return targets_.values[row] == static_cast<double>(output) ? 1.0 : 0.0;
  }

  const TargetTable targets_;
  const std::span<const double> weights_;
  std::vector<double> log_priors_;
};

std::unique_ptr<JointObjective> make(const TargetTable& targets, std::span<const double> weights,
                                     const std::vector<double>& class_weights) {
  for (std::size_t k = 0; k < class_weights.size(); ++k) {
    if (class_weights[k] > 0.0) continue;
    throw InvalidInput("y must hold every class from 0 to " +
                       std::to_string(class_weights.size() - 1) +
                       " with positive weight, got nothing of class " + std::to_string(k) +
                       ". Number the classes without a gap.");
  }
  return std::make_unique<Softmax>(targets, weights, class_weights);
}

}  // namespace

std::unique_ptr<JointObjective> make_class_softmax(const TargetTable& targets,
                                                   std::span<const double> weights,
                                                   const LossParameters&) {
  if (targets.n_columns > 1) {
    throw InvalidInput(
        "y must have one column for loss='log_loss', the number of each row's class, got " +
        std::to_string(targets.n_columns) +
        " columns. For rows of class probabilities use loss='cross_entropy'.");
  }
  const double largest = *std::max_element(targets.values.begin(), targets.values.end());
  if (largest <= 1.0) return nullptr;
  for (const double target : targets.values) {
    if (target >= 0.0 && target == std::floor(target)) continue;
    throw InvalidInput("y must number the classes 0, 1, 2 and so on for loss='log_loss', got " +
                       shown(target) + ". Encode the classes so, or use PLBoostClassifier.");
  }
  // Every class has a row: this also bounds the memory that wild numbers could ask for.
  if (largest >= static_cast<double>(targets.n_rows())) {
    throw InvalidInput("y must number the classes 0, 1, 2 and so on for loss='log_loss', got " +
                       shown(largest) + " in " + std::to_string(targets.n_rows()) +
                       " rows. Encode the classes without a gap, or use PLBoostClassifier.");
  }
  std::vector<double> class_weights(static_cast<std::size_t>(largest) + 1);
  for (std::size_t i = 0; i < targets.n_rows(); ++i) {
    class_weights[static_cast<std::size_t>(targets.values[i])] +=
        weights.empty() ? 1.0 : weights[i];
  }
  return make(targets, weights, class_weights);
}

std::unique_ptr<JointObjective> make_probability_softmax(const TargetTable& targets,
                                                         std::span<const double> weights,
                                                         const LossParameters&) {
  if (targets.n_columns == 1) return nullptr;
  std::vector<double> class_weights(targets.n_columns);
  for (std::size_t i = 0; i < targets.n_rows(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < targets.n_columns; ++k) {
      const double target = targets.column(k)[i];
      if (!(target >= 0.0)) {
        throw InvalidInput("y must hold probabilities for loss='cross_entropy', got " +
                           shown(target) + ".");
      }
      sum += target;
      class_weights[k] += target * (weights.empty() ? 1.0 : weights[i]);
    }
    if (!(std::abs(sum - 1.0) <= kSumTolerance)) {
      throw InvalidInput(
          "the rows of y must sum to 1 for loss='cross_entropy' with several columns, got a row "
          "that sums to " +
          shown(sum) + ". Divide each row by its sum.");
    }
  }
  return make(targets, weights, class_weights);
}

void softmax(std::span<double> row) {
  exponentials(row);
  double total = 0.0;
  for (const double value : row) total += value;
  for (double& value : row) value /= total;
}

}  // namespace plboost
