#include "core/objective/lambdarank.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/grades.hpp"
#include "core/objective/query_objective.hpp"

namespace plboost {
namespace {

// Logistic loss of every pair of documents of different grades, at least one of which is ranked
// above `truncation`. A pair weighs what swapping it would change of the query's NDCG (Burges 2010).
class LambdaRank final : public QueryObjective {
 public:
  LambdaRank(const TargetTable& targets, std::span<const double> weights, std::size_t truncation)
      : QueryObjective("lambdarank", targets, weights), truncation_(truncation) {
    for (std::size_t query = 0; query < n_queries(); ++query) {
      std::vector<double> best(gains(query).begin(), gains(query).end());
      std::sort(best.begin(), best.end(), std::greater<>());
      for (std::size_t rank = discounts_.size(); rank < best.size(); ++rank) {
        discounts_.push_back(discount_of(rank));
      }
      ideal_.push_back(std::inner_product(
          best.begin(),
          best.begin() + static_cast<std::ptrdiff_t>(std::min(truncation_, best.size())),
          discounts_.begin(), 0.0));
    }
  }

 private:
  void differentiate(std::size_t query, std::span<const double> scores, std::span<double> g,
                     std::span<double> h) const override {
    const std::span<const double> gain = gains(query);
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    double total = 0.0;
    for (std::size_t i = 0; i < std::min(truncation_, order.size()); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        if (gain[order[i]] == gain[order[j]]) continue;
        const bool right = gain[order[i]] > gain[order[j]];
        const std::size_t better = right ? order[i] : order[j];
        const std::size_t worse = right ? order[j] : order[i];
        const double weight =
            (gain[better] - gain[worse]) * (discounts_[i] - discounts_[j]) / ideal_[query];
        // The probability that the pair is the wrong way round.
        const double p = 1.0 / (1.0 + std::exp(scores[better] - scores[worse]));
        const double q = 1.0 / (1.0 + std::exp(scores[worse] - scores[better]));
        g[better] -= weight * p;
        g[worse] += weight * p;
        h[better] += weight * p * q;
        h[worse] += weight * p * q;
        total += 2.0 * weight * p;
      }
    }
    if (total == 0.0) return;
    // A query of many wrong pairs is not to drown the others.
    const double norm = std::log2(1.0 + total) / total;
    for (double& value : g) value *= norm;
    for (double& value : h) value *= norm;
  }

  std::size_t truncation_;
  std::vector<double> discounts_;
  std::vector<double> ideal_;  // DCG of each query's best ranking, down to the truncation
};

}  // namespace

constinit const Loss kLambdaRank{
    .name = "lambdarank",
    .metric = "ndcg@10",
    .predicts = Predictions::kRanks,
    .link = [](double score) { return score; },
    .make = [](std::span<const double>, std::span<const double>,
               const LossParameters&) -> std::unique_ptr<Objective> {
      throw InvalidInput("loss='lambdarank' is one of whole queries.");
    },
    .make_joint = [](const TargetTable& targets, std::span<const double> weights,
                     const LossParameters& parameters) -> std::unique_ptr<JointObjective> {
      return std::make_unique<LambdaRank>(targets, weights,
                                          parameters.truncation_level.value_or(30));
    },
};

}  // namespace plboost
