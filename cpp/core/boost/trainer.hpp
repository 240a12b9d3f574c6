#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "core/base/thread_pool.hpp"
#include "core/boost/evaluation.hpp"
#include "core/boost/row_sample.hpp"
#include "core/boost/step_size.hpp"
#include "core/boost/tree_size.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/grower.hpp"
#include "core/grow/leaf_models.hpp"
#include "core/grow/options.hpp"
#include "core/objective/joint_objective.hpp"
#include "core/tree/forest.hpp"

namespace plboost {

struct BoostOptions {
  std::string loss = "squared_error";
  LossParameters loss_parameters;
  std::optional<std::vector<std::string>> metrics;  // none: that of the loss
  std::vector<double> base_score;                   // of each output, for the loss "custom" alone
  std::uint64_t seed = 0;                           // of the samples that trees see
  RowSampleOptions rows;  // how a tree's rows are drawn, where it does not know all
  // Trees count less where rows do not confirm them that they do not know of, and more, after a
  // few steps, where these do.
  bool shortens_steps = false;
  bool lengthens_steps = false;
  GrowOptions grow;  // its split.min_gain is relative to the scale of the targets
};

// All that a training needs to go on where it stood. Scores are of the data set's rows, output
// after output.
struct TrainerState {
  Forest forest;
  std::vector<double> scores;
  std::uint64_t random = 0;
  // These of each output:
  std::vector<TreeSize::State> tree_sizes;
  std::vector<SlopeRecord> slopes;
  std::vector<Confirmation> steps;
};

// Second-order gradient boosting (paper section 2) with piecewise linear trees, a round at a time.
// A round that was stopped by an exception leaves a trainer of whose use only forest() is left.
class Trainer {
 public:
  // `check_interrupt` is called now and then between splits and may throw to stop. Everything that
  // is viewed or referred to must outlive the trainer.
  Trainer(const Dataset& dataset, const BoostOptions& options, std::vector<EvaluationSet> sets,
          std::function<void()> check_interrupt, ThreadPool& pool);

  // Grows one tree for each output.
  void round(double learning_rate);

  // Of a custom loss: the derivatives of all rows, output after output, not yet weighted. Needed
  // before every round.
  void set_gradients(std::span<const double> g, std::span<const double> h);

  std::size_t n_outputs() const { return forest_.n_outputs(); }
  // Whether rows that a tree does not know of judge it.
  bool judges() const { return judges_; }
  // The complete rounds.
  const Forest& forest() const { return forest_; }
  // Of the data set's rows, output after output.
  std::span<const double> scores() const { return scores_; }
  const Evaluation& evaluation() const { return evaluation_; }

  TrainerState state() const;
  void restore(TrainerState state);
  // Goes on with a model at whose scores the data set starts.
  void extend(Forest forest);

 private:
  void start_scores();
  void update_gradients(std::size_t begin, std::size_t end);
  void update_gradients();
  std::optional<LeafRenewal> renewal_of(std::size_t output) const;
  Gradients gradients_of(std::size_t output) const;
  Tree grow_tree(std::size_t output, std::size_t first_row, double learning_rate);
  void check_usable() const;
  bool fits(const Forest& forest) const;

  const Dataset& dataset_;
  ThreadPool& pool_;
  const std::function<void()> check_interrupt_;
  const std::unique_ptr<JointObjective> objective_;
  const GrowOptions grow_;
  Forest forest_;
  Evaluation evaluation_;
  Grower grower_;
  LeafModelFitter leaf_models_;
  RowSample rows_;
  const bool judges_;                 // whether rows that a tree does not know of judge it
  std::vector<TreeSize> tree_sizes_;  // of each output
  std::vector<StepSize> step_sizes_;
  std::vector<SlopeRecord> slopes_;  // of each output
  const std::uint64_t seed_;
  Random random_;
  std::vector<double> scores_;
  std::vector<float> g_;
  std::vector<float> h_;  // empty where it is the weight
  bool in_round_ = false;
  bool has_gradients_ = false;  // for the next round
};

}  // namespace plboost
