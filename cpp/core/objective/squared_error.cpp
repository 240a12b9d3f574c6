#include "core/objective/squared_error.hpp"

#include <algorithm>
#include <cmath>

namespace plboost {
namespace {

class SquaredError final : public Objective {
 public:
  SquaredError(std::span<const double> targets, std::span<const double> weights)
      : targets_(targets), weights_(weights) {
    double total = 0.0;
    for (std::size_t i = 0; i < targets.size(); ++i) total += weight(i);
    for (std::size_t i = 0; i < targets.size(); ++i) mean_ += targets[i] * (weight(i) / total);
    // Rounding must not take the mean of equal targets away from them.
    const auto [low, high] = std::minmax_element(targets.begin(), targets.end());
    mean_ = std::clamp(mean_, *low, *high);
    // Deviations are divided by the largest one: their squares neither overflow nor vanish.
    const double reach = std::max(*high - mean_, mean_ - *low);
    if (reach == 0.0) return;
    double square = 0.0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const double deviation = (targets[i] - mean_) / reach;
      square += deviation * deviation * (weight(i) / total);
    }
    // A power of two: dividing by it is exact, so a model does not depend on the scale of y.
    const double exponent = std::round(std::log2(reach) + std::log2(square) / 2);
    unit_ = std::ldexp(1.0, static_cast<int>(std::clamp(exponent, -1022.0, 1023.0)));
    const double deviation = (reach / unit_) * std::sqrt(square);
    variance_ = deviation * deviation;
  }

  double initial_score() const override { return mean_; }
  double unit() const override { return unit_; }
  double gain_scale() const override { return variance_; }
  Hessian hessian() const override { return Hessian::kIsWeight; }

  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float*) const override {
    for (std::size_t i = begin; i < end; ++i) {
      g[i] = static_cast<float>(weight(i) * ((scores[i] - targets_[i]) / unit_));
    }
  }

 private:
  double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }

  std::span<const double> targets_;
  std::span<const double> weights_;
  double mean_ = 0.0;
  double unit_ = 1.0;
  double variance_ = 1.0;  // of the targets, in squared units
};

}  // namespace

constinit const Loss kSquaredError{
    .name = "squared_error",
    .metric = "rmse",
    .predicts = Predictions::kNumbers,
    .link = [](double score) { return score; },
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters&) -> std::unique_ptr<Objective> {
      return std::make_unique<SquaredError>(targets, weights);
    },
};

}  // namespace plboost
