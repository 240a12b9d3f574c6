#pragma once

#include "core/linear/node_model.hpp"
#include "core/linear/ridge.hpp"
#include "core/linear/solver.hpp"
#include "core/split/child_sums.hpp"

namespace plboost {

// What a child, or the node itself, is judged with besides its mean.
struct ChildColumns {
  bool z = false;  // the node has regressors
  bool x = false;  // the split feature brings its column
  FirstColumn first = FirstColumn::kFree;
  ColumnRidge ridge_z;
  ColumnRidge ridge_x;
  double centre_z = 0.0;  // the means around which the sums were taken
  double centre_x = 0.0;
};

struct ChildFit {
  double loss = 0.0;
  double slope_z = 0.0;
  double slope_x = 0.0;
  bool keeps_x = false;
};

// Half-additive and additive fitting with the centred ridge, in closed form: the mean output stands
// apart from the slopes, which leaves two equations.
class CentredChildFit {
 public:
  explicit CentredChildFit(const RidgeOptions& options) : l2_(options.l2) {}
  ChildFit operator()(const ChildSums& sums, const ChildColumns& columns) const;

 private:
  double l2_;
};

// The same through the general solver, for the paper's penalty.
class GeneralChildFit {
 public:
  explicit GeneralChildFit(const RidgeOptions& options) : solver_(options, kSearchTolerance) {}
  ChildFit operator()(const ChildSums& sums, const ChildColumns& columns);

 private:
  Solver solver_;
};

}  // namespace plboost
