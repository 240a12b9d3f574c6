#include "core/objective/cross_entropy.hpp"

#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/objective/log_loss.hpp"
#include "core/objective/logistic.hpp"
#include "core/objective/softmax.hpp"

namespace plboost {
namespace {

// Logistic loss of targets between 0 and 1: probabilities, shares, or a teacher's predictions.
class CrossEntropy final : public Objective {
 public:
  CrossEntropy(std::span<const double> targets, std::span<const double> weights)
      : targets_(targets), weights_(weights) {
    double positive = 0.0;
    double negative = 0.0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (!(targets[i] >= 0.0 && targets[i] <= 1.0)) {
        throw InvalidInput("y must lie between 0 and 1 for loss='cross_entropy', got " +
                           shown(targets[i]) + ".");
      }
      positive += weight(i) * targets[i];
      negative += weight(i) * (1.0 - targets[i]);
    }
    if (positive == 0.0 || negative == 0.0) {
      throw InvalidInput("y must not be all " + std::string(positive == 0.0 ? "0" : "1") +
                         " for loss='cross_entropy': its log-odds are infinite.");
    }
    initial_score_ = std::log(positive / negative);
  }

  double initial_score() const override { return initial_score_; }

  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float* h) const override {
    for_each_probability(scores, begin, end, [&](std::size_t i, double p, double q) {
      const double gradient = p * (1.0 - targets_[i]) - q * targets_[i];
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

}  // namespace

constinit const Loss kCrossEntropy{
    .name = "cross_entropy",
    .metric = "cross_entropy",
    .predicts = Predictions::kProbabilities,
    .link = [](double score) { return kLogLoss.link(score); },
    .make = [](std::span<const double> targets, std::span<const double> weights,
               const LossParameters&) -> std::unique_ptr<Objective> {
      return std::make_unique<CrossEntropy>(targets, weights);
    },
    .make_joint = make_probability_softmax,
    .joint_link = softmax,
};

}  // namespace plboost
