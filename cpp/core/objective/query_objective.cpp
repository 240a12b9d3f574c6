#include "core/objective/query_objective.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/base/grades.hpp"

namespace plboost {
namespace {

// Queries that one task differentiates.
constexpr std::size_t kGrain = 16;

const Queries& checked_queries(std::string_view loss, const TargetTable& targets) {
  if (targets.queries == nullptr || targets.queries->empty()) {
    throw InvalidInput("loss='" + std::string(loss) +
                       "' needs queries. Pass group, the number of rows of each.");
  }
  if (targets.n_columns == 1) return *targets.queries;
  throw InvalidInput("loss='" + std::string(loss) + "' needs one column of grades, got " +
                     std::to_string(targets.n_columns) + " columns of y.");
}

}  // namespace

QueryObjective::QueryObjective(std::string_view loss, const TargetTable& targets,
                               std::span<const double> weights)
    : queries_(checked_queries(loss, targets)),
      weights_(weights),
      // A query counts the same whatever its length, and a document about 1 as for other losses:
      // l2 and min_hessian then mean what they mean there.
      scale_(static_cast<double>(targets.n_rows()) / static_cast<double>(queries_.size())),
      g_(targets.n_rows()),
      h_(targets.n_rows()) {
  check_grades("loss='" + std::string(loss) + "'", targets.values);
  gains_.reserve(queries_.rows.size());
  for (const std::uint32_t row : queries_.rows) gains_.push_back(gain_of(targets.values[row]));
}

void QueryObjective::adapt(std::span<const double> scores, ThreadPool& pool) {
  pool.run_range(queries_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t query = begin; query < end; ++query) update(query, scores);
  });
}

void QueryObjective::update(std::size_t query, std::span<const double> scores) {
  const std::span<const std::uint32_t> rows = queries_[query];
  std::vector<double> own(rows.size());
  std::vector<double> g(rows.size());
  std::vector<double> h(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) own[i] = scores[rows[i]];
  differentiate(query, own, g, h);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double factor = scale_ * (weights_.empty() ? 1.0 : weights_[rows[i]]);
    g_[rows[i]] = static_cast<float>(factor * g[i]);
    h_[rows[i]] = static_cast<float>(factor * h[i]);
  }
}

void QueryObjective::gradients(std::span<const double>, std::size_t begin, std::size_t end,
                               float* g, float* h) const {
  std::copy(g_.begin() + static_cast<std::ptrdiff_t>(begin),
            g_.begin() + static_cast<std::ptrdiff_t>(end), g + begin);
  std::copy(h_.begin() + static_cast<std::ptrdiff_t>(begin),
            h_.begin() + static_cast<std::ptrdiff_t>(end), h + begin);
}

}  // namespace plboost
