#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/predictions.hpp"

namespace plboost {

// What some losses are told besides their name; the others must not be.
struct LossParameters {
  std::vector<double> alpha;    // quantile: its level; huber: the part of residuals that are small
  std::optional<double> power;  // tweedie
  std::optional<std::size_t> truncation_level = {};  // lambdarank: one of a pair is above it
};

// A leaf's constant is the weighted quantile of what its slopes leave of targets - scores.
struct Renewal {
  double level;
  std::span<const double> targets;
  std::span<const double> weights;  // empty: all 1
};

// What training asks of a loss, in the order in which it asks:
//   1. Loss::make(targets, weights, parameters)   checks the targets and learns their scale
//   2. initial_score()                where every row's score starts
//   3. gain_scale(), hessian(), adapts(), renewal()   once, before the first tree
//   4. adapt(scores)                  every round, if it adapts; then unit()
//   5. gradients(...)                 every round, for pieces of the rows at a time, from many
//   threads
class Objective {
 public:
  enum class Hessian { kVaries, kIsWeight };

  virtual ~Objective() = default;

  virtual double initial_score() const = 0;
  // Whether `unit` follows the residuals from round to round. It depends on the scores alone.
  virtual bool adapts() const { return false; }
  virtual void adapt(std::span<const double> /*scores*/) {}
  // Trees are grown on numbers of this unit; their outputs are multiplied by it.
  virtual double unit() const { return 1.0; }
  // What `min_gain` is relative to.
  virtual double gain_scale() const { return 1.0; }
  // Where every row's second derivative is its weight, it need not be stored.
  virtual Hessian hessian() const { return Hessian::kVaries; }
  // How a loss without curvature wants the constants of its leaves.
  virtual std::optional<Renewal> renewal() const { return std::nullopt; }
  // First and second derivative of the loss in the score, of rows [begin, end), in `unit`. h is not
  // written where the hessian is the weight.
  virtual void gradients(std::span<const double> scores, std::size_t begin, std::size_t end,
                         float* g, float* h) const = 0;
};

struct TargetTable;
class JointObjective;

// A loss as users name it. To add one, write its file and list it in registry.cpp.
struct Loss {
  std::string_view name;
  std::string_view metric;  // what evaluation sets are measured with
  Predictions predicts = Predictions::kNumbers;
  double (*link)(double score);  // score -> prediction
  // Both views must outlive the objective; weights may be empty: all 1. Throws InvalidInput for
  // targets or parameters that the loss cannot take.
  std::unique_ptr<Objective> (*make)(std::span<const double> targets,
                                     std::span<const double> weights,
                                     const LossParameters& parameters);
  // Of losses whose outputs depend on each other; returns null where `make` will do.
  std::unique_ptr<JointObjective> (*make_joint)(const TargetTable& targets,
                                                std::span<const double> weights,
                                                const LossParameters& parameters) = nullptr;
  // The scores of a row with several outputs -> its predictions; null: `link` of each.
  void (*joint_link)(std::span<double> row) = nullptr;
};

// Those that users choose by name.
std::span<const Loss* const> losses();

// One of these, or the loss of models trained with a function of the user. Throws InvalidInput for
// an unknown name.
const Loss& find_loss(std::string_view name);

}  // namespace plboost
