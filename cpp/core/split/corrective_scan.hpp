#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/linear/node_model.hpp"
#include "core/linear/ridge.hpp"
#include "core/split/candidate.hpp"
#include "core/split/scanned_feature.hpp"

namespace plboost {

// The statistics of a feature over the rows of a node for fully corrective search.
struct CorrectiveBins {
  const float* panels;              // [panel][n_bins + 1][kLanes], the missing value's last
  std::size_t panel_stride;         // in floats
  std::span<const double> centres;  // [k] around which the regressors were taken
};

// The best split of a node on one feature when every slope of the children is solved anew.
// `scratch` is resized as needed.
Candidate scan_corrective(const CorrectiveBins& bins, const ScannedFeature& feature,
                          const NodeModel& model, const SplitOptions& options,
                          const RidgeOptions& ridge, std::vector<double>& scratch);

// The slopes of the regressors in the fit of the node itself. n_codes: of the feature.
std::vector<double> node_slopes(const CorrectiveBins& bins, std::size_t n_codes,
                                const NodeModel& model, const RidgeOptions& ridge);

}  // namespace plboost
