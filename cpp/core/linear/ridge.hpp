#pragma once

namespace plboost {

enum class Penalty {
  kCentred,  // on the leaf's mean output and on slopes of standardised features
  kPaper,    // on intercept and slopes in the user's units (paper Eq. 2)
};

struct RidgeOptions {
  double l2 = 0.1;
  double l2_slopes = 0.1;
  Penalty penalty = Penalty::kCentred;
};

// What the ridge needs to know of one column of a node's model.
struct ColumnRidge {
  double own = 0.0;  // penalty on the squared slope
  double zero =
      0.0;  // Penalty::kPaper: how far the column's 0 is from the user's, in units of the column
};

}  // namespace plboost
