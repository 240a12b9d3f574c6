#pragma once

#include <cstddef>
#include <vector>

#include "core/linear/ridge.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

enum class LeafModels {
  kRefit,  // every leaf is fitted anew with its path's regressors
  kPath,   // every leaf keeps the slopes that the splits of its path found
};

enum class Extrapolation {
  kClamp,   // a leaf's output stays in the range it took on its training rows
  kLinear,  // it follows the leaf's line
};

// How the rows of a node are kept while a tree grows. The model is the same; all but the first are
// there to be measured (the paper's Figure 3).
enum class Layout {
  kLeafOrder,    // codes and gradients of a node side by side, moved by the partition kernel
  kLoopedOrder,  // the same, moved one by one
  kRowOrder,     // row numbers of a node side by side; the rest is fetched by them
};

// Splits are searched on some of the rows, leaf models are fitted on all of them.
struct SampleOptions {
  double fraction = 0.6;        // of a node's rows, fresh for every tree
  std::size_t min_rows = 1024;  // of a node, if it has them
  std::size_t max_rows = 8192;  // of a node; 0: no limit

  double subsample = 1.0;  // of all rows: what a tree and its leaf models know of

  std::size_t subsampled(std::size_t n_rows) const;
  // How many of those rows the search of a tree sees: enough for its smallest leaves.
  std::size_t tree_rows(std::size_t n_rows, int max_leaves) const;
  // How many of its rows a node's split is searched on; `seen` is what part of all rows the tree
  // sees.
  std::size_t node_rows(std::size_t n_rows, double seen) const;
};

// Features that a tree, a level of it and a node may be cut by: each a part of the one before.
struct ColumnSample {
  double by_tree = 1.0;
  double by_level = 1.0;
  double by_node = 1.0;
};

// What the user asks of features, by column of the matrix; an empty list asks nothing.
struct ConstraintOptions {
  std::vector<int> monotone;     // 1: outputs never fall as the feature grows; -1: never rise
  std::vector<int> nonnegative;  // 1: no slope is below 0
  std::vector<int> cuts;         // 0: no cuts
  std::vector<int> lines;        // 0: no lines
  std::vector<std::vector<int>> groups;  // columns that may meet on a path
};

struct GrowOptions {
  int max_leaves = 48;
  bool adapts_leaves = false;  // as many as rows confirm that a tree does not know of
  int max_depth = 0;           // 0: no limit
  SampleOptions sample;
  ColumnSample columns;
  ConstraintOptions constraints;
  SplitOptions split;
  RidgeOptions ridge;
  LeafModels leaf_models = LeafModels::kRefit;
  double slope_shrinkage = 0.1;  // how much it counts that rows left out do not confirm them
  double mean_shrinkage = 3.0;   // how much it counts that splits are chosen among many
  Extrapolation extrapolation = Extrapolation::kClamp;
  Layout layout = Layout::kLeafOrder;
};

}  // namespace plboost
