#include "core/linear/node_model.hpp"

#include <algorithm>

namespace plboost {
namespace {

template <typename Regressors>
auto find(Regressors& regressors, std::size_t feature) {
  return std::find_if(regressors.begin(), regressors.end(), [feature](const Regressor& regressor) {
    return regressor.feature == feature;
  });
}

}  // namespace

bool NodeModel::has(std::size_t feature) const {
  return find(regressors, feature) != regressors.end();
}

void NodeModel::scale(double factor, double shift) {
  for (double& slope : slopes) slope *= factor;
  origin = factor * origin + shift;
  mean = 0.0;
}

void NodeModel::add(const Regressor& regressor, double slope) {
  const auto place = find(regressors, regressor.feature);
  if (place == regressors.end()) {
    regressors.push_back(regressor);
    slopes.push_back(slope);
  } else {
    slopes[static_cast<std::size_t>(place - regressors.begin())] += slope;
  }
}

ColumnRidge feature_ridge(const FeatureBins& bins, const RidgeOptions& options) {
  if (options.penalty == Penalty::kCentred) return {.own = options.l2_slopes, .zero = 0.0};
  return {.own = options.l2_slopes / (bins.scale * bins.scale), .zero = bins.mean / bins.scale};
}

ColumnRidge path_ridge(const NodeModel& model, FirstColumn first, const RidgeOptions& options) {
  double norm = 0.0;       // of the slopes that one unit of z stands for
  double user_norm = 0.0;  // the same in the user's units
  double zero = model.origin;
  for (std::size_t j = 0; j < model.slopes.size(); ++j) {
    const FeatureBins& bins = *model.regressors[j].bins;
    const double user_slope = model.slopes[j] / bins.scale;
    norm += model.slopes[j] * model.slopes[j];
    user_norm += user_slope * user_slope;
    zero += user_slope * bins.mean;
  }
  if (options.penalty == Penalty::kCentred) return {.own = options.l2_slopes * norm, .zero = 0.0};
  // The paper penalises beta itself (section 4.2: three parameters b, beta, alpha). Where z is
  // fixed, its slopes count.
  return {.own = options.l2_slopes * (first == FirstColumn::kFixedAtOne ? user_norm : 1.0),
          .zero = zero};
}

}  // namespace plboost
