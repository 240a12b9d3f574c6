#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/linear/node_model.hpp"
#include "core/linear/ridge.hpp"
#include "core/split/bounds.hpp"
#include "core/split/candidate.hpp"
#include "core/split/corrective_scan.hpp"
#include "core/split/scanned_feature.hpp"

namespace plboost {

// What a node and a feature of it are held to.
struct ScanLimits {
  Bounds bounds;           // of the node's outputs
  int order = 0;           // of the outputs on the sides of a cut of the feature
  int sign = 0;            // of the feature's slopes
  std::vector<int> signs;  // of the slopes of the node's regressors

  bool bind() const;
};

// The best cut under limits (docs/algorithm.md, section 9), cut by cut. With half-additive and
// additive fitting `bins` is what scan_combined takes.
Candidate scan_limited(const float* bins, const ScannedFeature& feature, const NodeModel& model,
                       const SplitOptions& options, const RidgeOptions& ridge,
                       const ScanLimits& limits);

// The same with every slope solved anew.
Candidate scan_limited(const CorrectiveBins& bins, const ScannedFeature& feature,
                       const NodeModel& model, const SplitOptions& options,
                       const RidgeOptions& ridge, const ScanLimits& limits);

}  // namespace plboost
