#pragma once

#include <cstddef>

#include "core/base/category_set.hpp"

namespace plboost {

enum class Fitting { kHalfAdditive, kAdditive, kFullyCorrective };

enum class RegressorChoice {
  kPath,  // the split features along the path (paper section 4.2)
  kAll,   // every feature in every node (the paper's setting a)
};

// What a split on a feature that is already a regressor does.
enum class Repeated {
  kRedundant,  // children are judged with what the node has (the paper's rule)
  kRefit,      // the feature brings its column again
};

struct SplitOptions {
  double min_samples_leaf = 20.0;  // sum of weights
  double min_hessian = 1e-3;
  double min_gain = 0.0;  // in the units of the gradients
  std::size_t max_regressors = 5;
  Fitting fitting = Fitting::kHalfAdditive;
  RegressorChoice regressors = RegressorChoice::kPath;
  Repeated repeated = Repeated::kRedundant;
  // Categories that weigh less than this in a node are taken as missing there.
  double min_samples_category = 10.0;
  // Rows of the node's mean that are added to a category before categories are put in order.
  double category_smoothing = 10.0;

  // Cuts of a node need not be closer, on average, than this weight. The last digits are for
  // weights that round: equality must not depend on them.
  double spacing() const { return 0.500005 * min_samples_leaf; }
};

// What a split leaves to one child: z' = slope_z z + slope_x u_q - shift; or, if the split is
// redundant, z as it is.
struct ChildModel {
  double mean_z = 0.0;  // of the z as it is, over the child's rows
  double slope_z = 1.0;
  double slope_x = 0.0;
  double shift = 0.0;
  bool takes_column = false;  // the split feature's column was not dropped
};

// SplitEval(s, j, c) of the paper, for the best c and side of the missing values found so far.
struct Candidate {
  bool valid = false;
  double gain = 0.0;
  std::size_t feature = 0;  // its place among the data set's usable features
  int threshold = 0;        // bins up to this one go left
  bool missing_left = false;
  bool redundant = false;
  int order = 0;                // of the outputs on its sides; 0: any
  double bound = 0.0;           // that parts them
  bool is_categorical = false;  // the split is by `left_bins`, not by `threshold`
  CategorySet left_bins;        // holds the missing code, too, where that goes left
  ChildModel left;
  ChildModel right;

  bool goes_left(int bin, int missing_code) const {
    if (is_categorical) return left_bins.has(static_cast<std::size_t>(bin));
    return bin <= threshold || (bin == missing_code && missing_left);
  }
};

// Gains closer to the node's own loss than this are rounding.
inline constexpr double kGainFloor = 1e-6;

}  // namespace plboost
