#include "core/objective/log_loss.hpp"

#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/objective/logistic.hpp"
#include "core/objective/softmax.hpp"

namespace plboost {
namespace {

class LogLoss final : public Objective {
 public:
  LogLoss(std::span<const double> targets, std::span<const double> weights)
      : targets_(targets), weights_(weights) {
    double positive = 0.0;
    double negative = 0.0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i] == 1.0) {
        positive += weight(i);
      } else if (targets[i] == 0.0) {
        negative += weight(i);
      } else {
        throw InvalidInput("y must hold 0 and 1 only for loss='log_loss', got " +
                           shown(targets[i]) + ". Encode the two classes as 0 and 1.");
      }
    }
    if (positive == 0.0 || negative == 0.0) {
      throw InvalidInput(
          "y must hold two classes with positive weight for loss='log_loss', got only " +
          std::string(positive == 0.0 ? "0" : "1") + ".");
    }
    initial_score_ = std::log(positive / negative);
  }

  double initial_score() const override { return initial_score_; }

  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float* h) const override {
    for_each_probability(scores, begin, end, [&](std::size_t i, double p, double q) {
      const double gradient = targets_[i] == 1.0 ? -q : p;
      g[i] = static_cast<float>(weight(i) * gradient);
      h[i] = static_cast<float>(weight(i) * hessian_for_steps(p * q, gradient));
    });
  }

 private:
  double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }

  std::span<const double> targets_;
  std::span<const double> weights_;
  double initial_score_ = 0.0;
};

double sigmoid(double score) {
  const double e = std::exp(-std::abs(score));
  return score >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

}  // namespace

constinit const Loss kLogLoss{
    .name = "log_loss",
    .metric = "log_loss",
    .predicts = Predictions::kProbabilities,
    .link = sigmoid,
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters&) -> std::unique_ptr<Objective> {
      return std::make_unique<LogLoss>(targets, weights);
    },
    .make_joint = make_class_softmax,
    .joint_link = softmax,
};

}  // namespace plboost
