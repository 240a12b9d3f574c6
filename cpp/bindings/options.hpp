#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/boost/trainer.hpp"

namespace plboost::bindings {

// Every training parameter under its Python name. The defaults are those of the stages' own
// options.
struct TrainingOptions {
  std::string loss = BoostOptions{}.loss;
  std::vector<double> alpha;                     // empty: the loss's own
  std::optional<double> power;                   // the same
  std::optional<std::int64_t> truncation_level;  // the same
  std::optional<std::vector<std::string>> metrics;
  std::vector<double> base_score;
  int max_leaves = GrowOptions{}.max_leaves;
  bool adapts_leaves = GrowOptions{}.adapts_leaves;
  bool shortens_steps = BoostOptions{}.shortens_steps;
  bool lengthens_steps = BoostOptions{}.lengthens_steps;
  int max_depth = GrowOptions{}.max_depth;
  double min_samples_leaf = SplitOptions{}.min_samples_leaf;
  double min_hessian = SplitOptions{}.min_hessian;
  double min_gain = SplitOptions{}.min_gain;
  double min_samples_category = SplitOptions{}.min_samples_category;
  double category_smoothing = SplitOptions{}.category_smoothing;
  double l2 = RidgeOptions{}.l2;
  double l2_slopes = RidgeOptions{}.l2_slopes;
  int max_regressors = static_cast<int>(SplitOptions{}.max_regressors);
  double split_sample = SampleOptions{}.fraction;
  std::int64_t split_sample_rows = static_cast<std::int64_t>(SampleOptions{}.max_rows);  // 0: all
  std::uint64_t seed = BoostOptions{}.seed;
  std::string fitting = "half_additive";
  std::string regressors = "path";
  std::string repeated = "redundant";
  std::string penalty = "centred";
  bool refit_leaves = true;
  double slope_shrinkage = 0.1;
  double mean_shrinkage = 3.0;
  std::string extrapolation = "clamp";
  double subsample = SampleOptions{}.subsample;
  std::string subsample_method = "uniform";
  double top_rate = RowSampleOptions{}.top_rate;
  double colsample_bytree = ColumnSample{}.by_tree;
  double colsample_bylevel = ColumnSample{}.by_level;
  double colsample_bynode = ColumnSample{}.by_node;
  std::vector<int> monotonic_cst;  // these by column; empty: nothing is asked
  std::vector<int> nonnegative_slopes;
  std::vector<int> split_features;
  std::vector<int> regressor_features;
  std::vector<std::vector<int>> interaction_cst;

  // Throws InvalidInput for a value that is not allowed.
  BoostOptions parse() const;
};

}  // namespace plboost::bindings
