#include "core/grow/grown_leaf.hpp"

#include <algorithm>
#include <limits>

namespace plboost {
namespace {

LeafColumn feature_column(const Regressor& regressor, const NodeRows& rows, const LeafOrder& order,
                          const RidgeOptions& options) {
  return {.words = order.codes(regressor.slot / kGroupFeatures, rows),
          .shift = 8 * static_cast<unsigned>(regressor.slot % kGroupFeatures),
          .values = regressor.bins->values.data(),
          .ridge = feature_ridge(*regressor.bins, options)};
}

// The path's slopes, scaled to fit the leaf's own rows (half-additive) or as they are (additive).
LeafLine path_line(const GrowingLeaf& leaf, const RowStatistics& rows, const GrowOptions& options) {
  const FirstColumn first =
      options.split.fitting == Fitting::kAdditive ? FirstColumn::kFixedAtOne : FirstColumn::kFree;
  std::vector<LeafColumn> column;
  if (!leaf.model.regressors.empty()) {
    column.push_back({.values = rows.z, .ridge = path_ridge(leaf.model, first, options.ridge)});
  }
  LeafLine line = fit_leaf(rows.g, rows.h, leaf.rows.size(), column, first, options.ridge);
  const double scale = column.empty() ? 0.0 : line.slopes[0];
  line.intercept -= scale * leaf.model.origin;
  line.slopes = leaf.model.slopes;
  for (double& slope : line.slopes) slope *= scale;
  return line;
}

void drop_flat_regressors(GrownLeaf& leaf) {
  std::size_t kept = 0;
  for (std::size_t j = 0; j < leaf.columns.size(); ++j) {
    if (leaf.line.slopes[j] == 0.0) continue;
    leaf.regressors[kept] = leaf.regressors[j];
    leaf.columns[kept] = leaf.columns[j];
    leaf.line.slopes[kept] = leaf.line.slopes[j];
    ++kept;
  }
  leaf.regressors.resize(kept);
  leaf.columns.resize(kept);
  leaf.line.slopes.resize(kept);
}

}  // namespace

GrownLeaf finish_leaf(const GrowingLeaf& leaf, const LeafOrder& order, const GrowOptions& options) {
  const RowStatistics rows = order.statistics(leaf.rows);
  GrownLeaf grown{.rows = leaf.rows, .regressors = leaf.model.regressors};
  for (const Regressor& regressor : leaf.model.regressors) {
    grown.columns.push_back(feature_column(regressor, leaf.rows, order, options.ridge));
  }
  const bool refit = options.leaf_models == LeafModels::kRefit ||
                     options.split.fitting == Fitting::kFullyCorrective;
  grown.line = refit ? fit_leaf(rows.g, rows.h, leaf.rows.size(), grown.columns, FirstColumn::kFree,
                                options.ridge)
                     : path_line(leaf, rows, options);
  drop_flat_regressors(grown);
  grown.low = -std::numeric_limits<double>::infinity();
  grown.high = std::numeric_limits<double>::infinity();
  if (options.extrapolation == Extrapolation::kClamp) {
    std::swap(grown.low, grown.high);
    for (std::size_t i = 0; i < leaf.rows.size(); ++i) {
      const double output = grown.line.at(grown.columns, i);
      grown.low = std::min(grown.low, output);
      grown.high = std::max(grown.high, output);
    }
  }
  return grown;
}

}  // namespace plboost
