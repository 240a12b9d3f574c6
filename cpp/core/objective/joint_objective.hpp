#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/base/queries.hpp"
#include "core/base/thread_pool.hpp"
#include "core/objective/objective.hpp"

namespace plboost {

// One or more columns of targets, one after another: values[column * n_rows + row].
struct TargetTable {
  std::span<const double> values;
  std::size_t n_columns = 1;
  const Queries* queries = nullptr;  // null or empty: the rows know nothing of each other

  std::size_t n_rows() const { return values.size() / n_columns; }
  std::span<const double> column(std::size_t i) const {
    return values.subspan(i * n_rows(), n_rows());
  }
};

// What the trainer asks of a loss: as Objective, of a model with any number of outputs. Scores,
// gradients and hessians of the outputs follow one another: scores[output * n_rows + row].
class JointObjective {
 public:
  // Who computes the gradients: this object, or the caller of the trainer before every round.
  enum class Source { kComputed, kGiven };

  virtual ~JointObjective() = default;

  virtual std::size_t n_outputs() const = 0;
  virtual double initial_score(std::size_t output) const = 0;
  virtual double unit(std::size_t) const { return 1.0; }
  virtual double gain_scale(std::size_t) const { return 1.0; }
  virtual Objective::Hessian hessian() const { return Objective::Hessian::kVaries; }
  virtual bool adapts() const { return false; }
  virtual void adapt(std::span<const double> /*scores*/, ThreadPool&) {}
  virtual Source source() const { return Source::kComputed; }
  // Of all outputs of rows [begin, end).
  virtual void gradients(std::span<const double> scores, std::size_t begin, std::size_t end,
                         float* g, float* h) const = 0;
  // The objective of one output where it does not depend on the others, else null.
  virtual const Objective* single(std::size_t) const { return nullptr; }
};

// An objective of each output, none of which knows of the others.
std::unique_ptr<JointObjective> side_by_side(std::vector<std::unique_ptr<Objective>> outputs,
                                             std::size_t n_rows);

// Throws InvalidInput for queries that the loss does not look at.
void check_queries(const Loss& loss, const Queries* queries);

// The loss's own joint objective if it has one for such targets, else one objective for each
// column. All views must outlive it; weights may be empty: all 1. Throws InvalidInput where queries
// are given to a loss that does not rank.
std::unique_ptr<JointObjective> make_objective(const Loss& loss, const TargetTable& targets,
                                               std::span<const double> weights,
                                               const LossParameters& parameters);

}  // namespace plboost
