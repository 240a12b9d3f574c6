#pragma once

#include <cstddef>
#include <vector>

#include "core/dataset/dataset.hpp"
#include "core/grow/options.hpp"
#include "core/linear/node_model.hpp"
#include "core/split/limited_scan.hpp"

namespace plboost {

// The constraints in terms of the data set's usable features.
class FeatureRules {
 public:
  FeatureRules(const Dataset& dataset, const ConstraintOptions& options);

  bool may_cut(std::size_t feature) const { return rules_[feature].cut; }
  bool may_regress(std::size_t feature) const { return rules_[feature].line; }
  int monotone(std::size_t feature) const { return rules_[feature].monotone; }
  int slope_sign(std::size_t feature) const { return rules_[feature].sign; }
  bool any_signs() const { return any_signs_; }
  bool any_monotone() const { return any_monotone_; }
  // Features that are lines of every leaf because no cut can bring them.
  const std::vector<std::size_t>& lines_only() const { return lines_only_; }
  // Sets of features that may meet on a path; none: all may.
  const std::vector<std::vector<std::size_t>>& groups() const { return groups_; }

  // What a search for a cut of `feature` in a node is held to.
  ScanLimits limits(std::size_t feature, const NodeModel& model, const Bounds& bounds) const;

 private:
  struct Rule {
    bool cut = true;
    bool line = true;
    int monotone = 0;
    int sign = 0;
  };

  std::vector<Rule> rules_;
  std::vector<std::size_t> lines_only_;
  std::vector<std::vector<std::size_t>> groups_;
  bool any_signs_ = false;
  bool any_monotone_ = false;
};

}  // namespace plboost
