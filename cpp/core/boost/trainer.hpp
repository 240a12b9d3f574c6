#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/matrix_view.hpp"
#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/options.hpp"
#include "core/objective/objective.hpp"
#include "core/tree/forest.hpp"

namespace plboost {

struct BoostOptions {
  std::string loss = "squared_error";
  LossParameters loss_parameters;
  int n_rounds = 100;
  double learning_rate = 0.1;
  std::uint64_t seed = 0;  // of the samples that trees see
  GrowOptions grow;        // its split.min_gain is relative to the scale of the targets
};

// Rows to measure the model on after every round; the views are the caller's.
struct EvaluationSet {
  MatrixView x;
  std::span<const double> targets;
  std::span<const double> weights;  // empty: all 1
};

struct TrainingHooks {
  // After each round, with the metric of every evaluation set. May throw to stop.
  std::function<void(int round, const std::vector<double>& metrics)> on_round;
  // Between splits. May throw to stop.
  std::function<void()> check_interrupt;
};

// Second-order gradient boosting (paper section 2) with piecewise linear trees.
Forest train(const Dataset& dataset, const BoostOptions& options,
             std::span<const EvaluationSet> evaluation_sets, const TrainingHooks& hooks,
             ThreadPool& pool);

}  // namespace plboost
