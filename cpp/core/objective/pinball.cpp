#include "core/objective/pinball.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/weighted_quantile.hpp"
#include "core/objective/residual_scale.hpp"

namespace plboost {
namespace {

double slope_of(double residual, double level) { return residual > 0.0 ? level : 1.0 - level; }

}  // namespace

Pinball::Pinball(std::span<const double> targets, std::span<const double> weights, double level)
    : targets_(targets), weights_(weights), level_(level) {
  std::vector<WeightedValue> values;
  values.reserve(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) values.push_back({targets[i], weight(i)});
  initial_score_ = weighted_quantile(values, level);
}

Pinball::Pinball(std::span<const double> targets, std::vector<double> weights, double level)
    : Pinball(targets, std::span<const double>(weights), level) {
  own_weights_ = std::move(weights);
  weights_ = own_weights_;
}

void Pinball::adapt(std::span<const double> scores) {
  const std::span<const double> some = scores.first(std::min(scores.size(), kScaleRows));
  band_ = residual_scale(targets_, weights_, scores, std::min(level_, 1.0 - level_));
  double curvature = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const double residual = targets_[i] - scores[i];
    curvature += weight(i) * slope_of(residual, level_) * (band_ / reach(residual));
    total += weight(i);
  }
  unit_ = band_ * (total / curvature);
}

void Pinball::gradients(std::span<const double> scores, std::size_t begin, std::size_t end,
                        float* g, float* h) const {
  for (std::size_t i = begin; i < end; ++i) {
    const double residual = targets_[i] - scores[i];
    const double size = weight(i) * slope_of(residual, level_);
    g[i] = static_cast<float>(-size * (residual / reach(residual)));
    h[i] = static_cast<float>(size * (unit_ / reach(residual)));
  }
}

}  // namespace plboost
