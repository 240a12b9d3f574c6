#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/grow/leaf_order.hpp"
#include "core/histogram/pool.hpp"
#include "core/linear/node_model.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

// A node of the tree that is being grown.
struct GrowingLeaf {
  int depth = 0;
  NodeRows rows;
  NodeModel model;
  std::vector<double> references;     // a value of each regressor among the leaf's rows
  Candidate best;                     // its best split, if it has one
  HistogramPool::Handle histogram;    // kept when its children's can be had by subtraction
  std::unique_ptr<GrowingLeaf> left;  // once it was expanded
  std::unique_ptr<GrowingLeaf> right;

  bool expanded() const { return left != nullptr; }
};

}  // namespace plboost
