#include "core/objective/huber.hpp"

#include <algorithm>
#include <vector>

#include "core/base/weighted_quantile.hpp"
#include "core/objective/residual_scale.hpp"

namespace plboost {
namespace {

// Residuals count squared up to a limit, and as they are beyond it. The limit follows the
// residuals: `alpha` of them are within it (Friedman 2001, section 4.4).
class Huber final : public Objective {
 public:
  Huber(std::span<const double> targets, std::span<const double> weights, double alpha)
      : targets_(targets), weights_(weights), alpha_(alpha) {
    std::vector<WeightedValue> values;
    values.reserve(targets.size());
    double total = 0.0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      values.push_back({targets[i], weight(i)});
      total += weight(i);
    }
    // A step from the median towards the mean, which far targets do not pull further.
    const double median = weighted_quantile(values, 0.5);
    adapt(std::vector<double>(targets.size(), median));
    initial_score_ = median;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const double residual = std::clamp(targets[i] - median, -limit_, limit_);
      initial_score_ += residual * (weight(i) / total);
    }
  }

  double initial_score() const override { return initial_score_; }
  bool adapts() const override { return true; }
  void adapt(std::span<const double> scores) override {
    limit_ = residual_scale(targets_, weights_, scores, alpha_);
  }
  double unit() const override { return limit_; }
  Hessian hessian() const override { return Hessian::kIsWeight; }

  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float*) const override {
    for (std::size_t i = begin; i < end; ++i) {
      const double residual = std::clamp((scores[i] - targets_[i]) / limit_, -1.0, 1.0);
      g[i] = static_cast<float>(weight(i) * residual);
    }
  }

 private:
  double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }

  std::span<const double> targets_;
  std::span<const double> weights_;
  double alpha_;
  double limit_ = 1.0;
  double initial_score_ = 0.0;
};

}  // namespace

constinit const Loss kHuber{
    .name = "huber",
    .metric = "mae",
    .predicts = Predictions::kNumbers,
    .link = [](double score) { return score; },
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters& parameters) -> std::unique_ptr<Objective> {
      const double alpha = parameters.alpha.empty() ? 0.9 : parameters.alpha.front();
      return std::make_unique<Huber>(targets, weights, alpha);
    },
};

}  // namespace plboost
