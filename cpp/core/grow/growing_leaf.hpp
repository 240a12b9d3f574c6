#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grow/leaf_order.hpp"
#include "core/histogram/pool.hpp"
#include "core/linear/node_model.hpp"
#include "core/split/bounds.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

// A node of the tree that is being grown.
struct GrowingLeaf {
  int depth = 0;
  NodeRows rows;
  double searched_weight = 0.0;  // of those that its split is searched on
  NodeModel model;
  std::vector<double> references;   // a value of each regressor among the leaf's rows
  std::uint64_t place = 0;          // see column_choice.hpp
  std::vector<std::size_t> path;    // features of the cuts above it, while interactions count
  std::vector<char> cuts;           // by feature: it may be cut by it; empty: by all
  Bounds bounds;                    // of its outputs
  Candidate best;                   // its best split, if it has one
  HistogramPool::Handle histogram;  // kept when its children's can be had by subtraction
  GrowingLeaf* left = nullptr;      // once it was expanded
  GrowingLeaf* right = nullptr;

  bool may_cut(std::size_t feature) const { return cuts.empty() || cuts[feature]; }
  bool expanded() const { return left != nullptr; }
};

}  // namespace plboost
