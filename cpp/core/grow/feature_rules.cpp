#include "core/grow/feature_rules.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"

namespace plboost {
namespace {

// A second line of defence behind the Python layer.
void check_length(const std::vector<int>& list, std::size_t n_columns, const char* name) {
  if (list.empty() || list.size() == n_columns) return;
  throw InvalidInput(std::string(name) + " must have one entry for each of the " +
                     std::to_string(n_columns) + " columns, got " + std::to_string(list.size()) +
                     ".");
}

int entry(const std::vector<int>& list, std::size_t column, int otherwise) {
  return list.empty() ? otherwise : list[column];
}

}  // namespace

FeatureRules::FeatureRules(const Dataset& dataset, const ConstraintOptions& options) {
  const std::size_t n_columns = dataset.bins().size();
  check_length(options.monotone, n_columns, "monotonic_cst");
  check_length(options.nonnegative, n_columns, "nonnegative_slopes");
  check_length(options.cuts, n_columns, "split_features");
  check_length(options.lines, n_columns, "regressor_features");
  const auto& features = dataset.features();
  for (std::size_t f = 0; f < features.size(); ++f) {
    const auto column = static_cast<std::size_t>(features[f].index);
    Rule rule;
    rule.cut = entry(options.cuts, column, 1) != 0;
    rule.line = entry(options.lines, column, 1) != 0 && features[f].bins->can_regress();
    rule.monotone = std::clamp(entry(options.monotone, column, 0), -1, 1);
    if (rule.monotone != 0 && features[f].bins->is_categorical) {
      throw InvalidInput("monotonic_cst asks for an order along column " + std::to_string(column) +
                         ", which is categorical.");
    }
    rule.sign = rule.monotone;
    if (entry(options.nonnegative, column, 0) != 0) rule.sign = 1;
    any_monotone_ = any_monotone_ || rule.monotone != 0;
    any_signs_ = any_signs_ || rule.sign != 0;
    if (!rule.cut && rule.line && !options.lines.empty()) lines_only_.push_back(f);
    rules_.push_back(rule);
  }
  for (const std::vector<int>& columns : options.groups) {
    std::vector<std::size_t> group;
    for (std::size_t f = 0; f < features.size(); ++f) {
      if (std::find(columns.begin(), columns.end(), features[f].index) != columns.end()) {
        group.push_back(f);
      }
    }
    groups_.push_back(std::move(group));
  }
}

ScanLimits FeatureRules::limits(std::size_t feature, const NodeModel& model,
                                const Bounds& bounds) const {
  ScanLimits limits{.bounds = bounds, .order = monotone(feature), .sign = slope_sign(feature)};
  for (const Regressor& each : model.regressors) limits.signs.push_back(slope_sign(each.feature));
  return limits;
}

}  // namespace plboost
