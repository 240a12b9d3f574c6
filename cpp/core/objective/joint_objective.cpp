#include "core/objective/joint_objective.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace plboost {
namespace {

// A model of each column of the targets: the columns know nothing of each other.
class PerColumn final : public JointObjective {
 public:
  PerColumn(std::vector<std::unique_ptr<Objective>> columns, std::size_t n_rows)
      : columns_(std::move(columns)), n_rows_(n_rows) {}

  std::size_t n_outputs() const override { return columns_.size(); }
  double initial_score(std::size_t output) const override {
    return columns_[output]->initial_score();
  }
  double unit(std::size_t output) const override { return columns_[output]->unit(); }
  double gain_scale(std::size_t output) const override { return columns_[output]->gain_scale(); }
  Objective::Hessian hessian() const override { return columns_[0]->hessian(); }
  bool adapts() const override { return columns_[0]->adapts(); }
  void adapt(std::span<const double> scores, ThreadPool&) override {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      columns_[k]->adapt(scores.subspan(k * n_rows_, n_rows_));
    }
  }
  const Objective* single(std::size_t output) const override { return columns_[output].get(); }

  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float* h) const override {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const std::size_t first = k * n_rows_;
      float* own_h = hessian() == Objective::Hessian::kVaries ? h + first : nullptr;
      columns_[k]->gradients(scores.subspan(first, n_rows_), begin, end, g + first, own_h);
    }
  }

 private:
  std::vector<std::unique_ptr<Objective>> columns_;
  std::size_t n_rows_;
};

}  // namespace

std::unique_ptr<JointObjective> side_by_side(std::vector<std::unique_ptr<Objective>> outputs,
                                             std::size_t n_rows) {
  return std::make_unique<PerColumn>(std::move(outputs), n_rows);
}

void check_queries(const Loss& loss, const Queries* queries) {
  if (loss.predicts == Predictions::kRanks || queries == nullptr || queries->empty()) return;
  throw InvalidInput("loss='" + std::string(loss.name) +
                     "' does not rank and takes no queries. Leave group and qid out, or use "
                     "loss='lambdarank'.");
}

std::unique_ptr<JointObjective> make_objective(const Loss& loss, const TargetTable& targets,
                                               std::span<const double> weights,
                                               const LossParameters& parameters) {
  check_queries(loss, targets.queries);
  if (loss.make_joint != nullptr) {
    if (auto joint = loss.make_joint(targets, weights, parameters)) return joint;
  }
  std::vector<std::unique_ptr<Objective>> columns;
  for (std::size_t k = 0; k < targets.n_columns; ++k) {
    columns.push_back(loss.make(targets.column(k), weights, parameters));
  }
  return side_by_side(std::move(columns), targets.n_rows());
}

}  // namespace plboost
