#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/feature_rules.hpp"
#include "core/grow/growing_leaf.hpp"
#include "core/grow/leaf_order.hpp"
#include "core/histogram/histogram.hpp"
#include "core/linear/ridge.hpp"
#include "core/split/candidate.hpp"
#include "core/split/category_scan.hpp"
#include "core/split/corrective_scan.hpp"

namespace plboost {

// A node to search, with penalties for the rows that are searched.
struct CorrectiveNode {
  const GrowingLeaf& leaf;
  std::size_t n;  // of its rows
  SplitOptions split;
  RidgeOptions ridge;
  Candidate* candidates;  // by feature, written
};

// Split search with every slope solved anew: sums of all products of the node's regressors instead
// of those with z.
class CorrectiveSearch {
 public:
  // slots: of the data set.
  CorrectiveSearch(const Dataset& dataset, const LeafOrder& order, const FeatureRules& rules,
                   std::span<const SlotCodes> slots, int n_workers);

  // By one worker alone or, if a pool is given, by all.
  void search(const CorrectiveNode& node, std::size_t worker, ThreadPool* pool);

 private:
  // The regressors of a node around their means.
  struct Columns {
    std::vector<float> values;  // x_j, then h x_j where h is not 1: [k][n] each
    std::vector<double> centres;
    std::vector<ProductLanes> panels;
  };
  // Memory of one worker.
  struct Workspace {
    HistogramBuilder builder;
    Columns columns;
    std::vector<float> histogram;
    std::vector<BinView> views;          // by slot
    std::vector<std::uint8_t> occupied;  // codes of a slot
    std::vector<float> marginal;
    std::vector<double> scratch;
    OrderedCategories categories;
  };

  void fill_columns(const CorrectiveNode& node, Columns& columns) const;
  void search_groups(const CorrectiveNode& node, const Columns& columns, GroupRange groups,
                     Workspace& workspace) const;
  Candidate scan(const CorrectiveNode& node, const ScannedFeature& feature,
                 const CorrectiveBins& bins, Workspace& workspace) const;

  const Dataset& dataset_;
  const LeafOrder& order_;
  const FeatureRules& rules_;
  std::vector<Workspace> workspaces_;
};

}  // namespace plboost
