#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/binning/feature_bins.hpp"
#include "core/linear/ridge.hpp"
#include "core/linear/solver.hpp"

namespace plboost {

// A regressor: the feature's place among the data set's usable ones, and its bins.
struct Regressor {
  std::size_t feature;
  const FeatureBins* bins;
};

// The linear part that a node inherits along its path: z = sum_j slope_j u_j, in standardised
// units. Rows store z - origin in float32, so that it stays small around the node's own mean.
struct NodeModel {
  std::vector<Regressor> regressors;
  std::vector<double> slopes;
  double origin = 0.0;
  double mean = 0.0;  // of z - origin over the node's rows, as far as it is known

  void reserve(std::size_t n_regressors) {
    regressors.reserve(n_regressors);
    slopes.reserve(n_regressors);
  }
  bool has(std::size_t feature) const;
  // z becomes factor * z; rows then store it less `shift`, which makes its mean 0.
  void scale(double factor, double shift);
  // Adds to the slope of the regressor, which joins the others unless it is one of them.
  void add(const Regressor& regressor, double slope);
};

// The column u of a feature, and the column z - origin of a node, as the ridge sees them.
ColumnRidge feature_ridge(const FeatureBins& bins, const RidgeOptions& options);
ColumnRidge path_ridge(const NodeModel& model, FirstColumn first, const RidgeOptions& options);

}  // namespace plboost
