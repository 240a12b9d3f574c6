#pragma once

#include <span>
#include <vector>

#include "core/grow/frontier.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/grow/options.hpp"
#include "core/linear/leaf_fit.hpp"

namespace plboost {

// A leaf with its final model, beside the rows that it was fitted on.
struct GrownLeaf {
  NodeRows rows;
  std::vector<Regressor> regressors;
  std::vector<LeafColumn> columns;
  LeafLine line;
  double low;
  double high;
};

// FitNode for the leaf of a finished tree.
GrownLeaf finish_leaf(const GrowingLeaf& leaf, const LeafOrder& order, const GrowOptions& options);

}  // namespace plboost
