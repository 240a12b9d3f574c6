#include "core/objective/pinball.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/base/weighted_quantile.hpp"
#include "core/objective/residual_scale.hpp"

namespace plboost {
namespace {

double env(const char* name, double value) {
  const char* text = std::getenv(name);
  return text == nullptr ? value : std::atof(text);
}

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
  const double part = env("PB_KAPPA", 0.5) * std::min(level_, 1.0 - level_);
  band_ = residual_scale(targets_, weights_, scores, part);
  double curvature = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < std::min<std::size_t>(scores.size(), 8192); ++i) {
    const double r = targets_[i] - scores[i];
    curvature += weight(i) * (r > 0.0 ? level_ : 1.0 - level_) / std::max(std::abs(r) / band_, 1.0);
    total += weight(i);
  }
  unit_ = env("PB_DAMP", 1.0) * band_ * total / curvature;
}

void Pinball::gradients(std::span<const double> scores, std::size_t begin, std::size_t end,
                        float* g, float* h) const {
  for (std::size_t i = begin; i < end; ++i) {
    const double residual = targets_[i] - scores[i];
    const double curvature = weight(i) * (residual > 0.0 ? level_ : 1.0 - level_) * (unit_ / std::max(std::abs(residual), band_));
    g[i] = static_cast<float>(-curvature * (residual / unit_));
    h[i] = static_cast<float>(curvature);
  }
}

}  // namespace plboost
