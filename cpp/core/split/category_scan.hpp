#pragma once

#include <functional>
#include <vector>

#include "core/linear/node_model.hpp"
#include "core/linear/ridge.hpp"
#include "core/split/candidate.hpp"
#include "core/split/corrective_scan.hpp"
#include "core/split/scanned_feature.hpp"

namespace plboost {

// Memory of one worker for a feature whose categories are put in order.
struct OrderedCategories {
  std::vector<float> bins;
  std::vector<float> values;  // all 0: categories are no regressors
};

// The best split of a node on a categorical feature: its categories are put in the order of their
// gradient ratios, and then cut in two as the bins of a numeric feature are, which `scan` does. The
// split is redundant. Other arguments as of scan_combined.
Candidate scan_categories(
    const float* bins, const ScannedFeature& feature, const NodeModel& model,
    const SplitOptions& options, const RidgeOptions& ridge, OrderedCategories& ordered,
    const std::function<Candidate(const float* in_order, const ScannedFeature& ordered)>& scan);

// The same with every slope solved anew.
Candidate scan_categories(const CorrectiveBins& bins, const ScannedFeature& feature,
                          const NodeModel& model, const SplitOptions& options,
                          const RidgeOptions& ridge, OrderedCategories& ordered,
                          const std::function<Candidate(const CorrectiveBins& in_order,
                                                        const ScannedFeature& ordered)>& scan);

}  // namespace plboost
