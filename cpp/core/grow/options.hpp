#pragma once

#include <cstddef>

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

// Splits are searched on some of the rows, leaf models are fitted on all of them.
struct SampleOptions {
  double fraction = 1.0;     // of the rows, fresh for every tree
  std::size_t max_rows = 0;  // of one node; 0: no limit
};

struct GrowOptions {
  int max_leaves = 31;
  int max_depth = 0;  // 0: no limit
  SampleOptions sample;
  SplitOptions split;
  RidgeOptions ridge;
  LeafModels leaf_models = LeafModels::kRefit;
  Extrapolation extrapolation = Extrapolation::kClamp;
};

}  // namespace plboost
