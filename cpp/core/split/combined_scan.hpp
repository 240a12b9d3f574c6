#pragma once

#include "core/linear/node_model.hpp"
#include "core/linear/ridge.hpp"
#include "core/split/candidate.hpp"
#include "core/split/scanned_feature.hpp"

namespace plboost {

// Whether a split on this feature brings its column to the children; if not, the split is
// redundant.
bool brings_column(const ScannedFeature& feature, const NodeModel& model,
                   const SplitOptions& options);

// The best split of a node on one feature when the path's linear part is one combined column
// (half-additive and additive fitting). `bins` is [n_bins + 1][kLanes]: the feature's statistics
// over the node's rows, the missing value's last.
Candidate scan_combined(const float* bins, const ScannedFeature& feature, const NodeModel& model,
                        const SplitOptions& options, const RidgeOptions& ridge);

// The same cut by cut, without the vector kernel: what the paper's penalty needs, and what the
// kernel is tested against.
Candidate scan_combined_plain(const float* bins, const ScannedFeature& feature,
                              const NodeModel& model, const SplitOptions& options,
                              const RidgeOptions& ridge);

// The slope of z in the fit of the node itself; 0 where it has no regressors.
double node_slope(const float* bins, const ScannedFeature& feature, const NodeModel& model,
                  const SplitOptions& options, const RidgeOptions& ridge);

}  // namespace plboost
