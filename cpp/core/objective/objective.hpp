#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace plboost {

// What training asks of a loss of one output, in the order in which it asks:
//   1. Loss::make(targets, weights)   checks the targets and learns their scale
//   2. initial_score()                where every row's score starts
//   3. unit(), gain_scale(), hessian()  once, before the first tree
//   4. gradients(...)                 every round, for pieces of the rows at a time, from many
//   threads
class Objective {
 public:
  enum class Hessian { kVaries, kIsWeight };

  virtual ~Objective() = default;

  virtual double initial_score() const = 0;
  // Trees are grown on numbers of this unit; their outputs are multiplied by it.
  virtual double unit() const { return 1.0; }
  // What `min_gain` is relative to.
  virtual double gain_scale() const { return 1.0; }
  // Where every row's second derivative is its weight, it need not be stored.
  virtual Hessian hessian() const { return Hessian::kVaries; }
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
  std::string_view metric;       // what evaluation sets are measured with
  double (*link)(double score);  // score -> prediction
  // Both views must outlive the objective; weights may be empty: all 1.
  std::unique_ptr<Objective> (*make)(std::span<const double> targets,
                                     std::span<const double> weights);
  // Of losses whose outputs depend on each other; returns null where `make` will do.
  std::unique_ptr<JointObjective> (*make_joint)(const TargetTable& targets,
                                                std::span<const double> weights) = nullptr;
  // The scores of a row with several outputs -> its predictions; null: `link` of each.
  void (*joint_link)(std::span<double> row) = nullptr;
};

// Those that users choose by name.
std::span<const Loss* const> losses();

// One of these, or the loss of models trained with a function of the user. Throws InvalidInput for
// an unknown name.
const Loss& find_loss(std::string_view name);

}  // namespace plboost
