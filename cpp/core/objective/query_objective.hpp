#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/base/queries.hpp"
#include "core/objective/joint_objective.hpp"

namespace plboost {

// A loss of whole queries: what a document costs depends on the others of its query. All of them
// are differentiated at once before a round, and pieces of rows are copied out of that.
class QueryObjective : public JointObjective {
 public:
  // Throws InvalidInput for targets that are not grades, or without queries.
  QueryObjective(std::string_view loss, const TargetTable& targets,
                 std::span<const double> weights);

  std::size_t n_outputs() const override { return 1; }
  // Scores of different queries are never compared, so they may start anywhere.
  double initial_score(std::size_t) const override { return 0.0; }
  bool adapts() const override { return true; }
  void adapt(std::span<const double> scores, ThreadPool& pool) override;
  void gradients(std::span<const double> scores, std::size_t begin, std::size_t end, float* g,
                 float* h) const override;

 protected:
  std::size_t n_queries() const { return queries_.size(); }
  // Of the documents of a query, in the caller's order.
  std::span<const double> gains(std::size_t query) const {
    return std::span(gains_).subspan(queries_.starts[query], queries_[query].size());
  }
  // Adds the first and second derivatives of the query's loss in the scores to g and h, which
  // are 0. All are of its documents in the caller's order.
  virtual void differentiate(std::size_t query, std::span<const double> scores, std::span<double> g,
                             std::span<double> h) const = 0;

 private:
  void update(std::size_t query, std::span<const double> scores);

  const Queries& queries_;
  std::span<const double> weights_;
  std::vector<double> gains_;  // in the order of queries_.rows
  double scale_;
  std::vector<float> g_;
  std::vector<float> h_;
};

}  // namespace plboost
