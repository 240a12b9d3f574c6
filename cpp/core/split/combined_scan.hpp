#pragma once

#include <span>

#include "core/binning/feature_bins.hpp"
#include "core/histogram/group_histogram.hpp"
#include "core/linear/node_model.hpp"
#include "core/linear/ridge.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

// Whether a split on this feature brings its column to the children; if not, the split is
// redundant.
bool brings_column(const Regressor& feature, const NodeModel& model, const SplitOptions& options);

// The best split of a node on one feature when the path's linear part is one combined column
// (half-additive and additive fitting). `bins` are the feature's statistics over the node's rows.
Candidate scan_combined(std::span<const BinStatistics> bins, const Regressor& feature,
                        const NodeModel& model, const SplitOptions& options,
                        const RidgeOptions& ridge);

}  // namespace plboost
