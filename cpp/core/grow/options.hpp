#pragma once

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

struct GrowOptions {
  int max_leaves = 31;
  int max_depth = 0;  // 0: no limit
  SplitOptions split;
  RidgeOptions ridge;
  LeafModels leaf_models = LeafModels::kRefit;
  Extrapolation extrapolation = Extrapolation::kClamp;
};

}  // namespace plboost
