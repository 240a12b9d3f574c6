#include "core/objective/listnet.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/error.hpp"
#include "core/objective/query_objective.hpp"

namespace plboost {
namespace {

// Cross entropy between the shares of the documents in the query's gain and the softmax of their
// scores (Cao et al. 2007, with the gains of NDCG in place of exp(grade)).
class ListNet final : public QueryObjective {
 public:
  ListNet(const TargetTable& targets, std::span<const double> weights)
      : QueryObjective("listnet", targets, weights) {}

 private:
  void differentiate(std::size_t query, std::span<const double> scores, std::span<double> g,
                     std::span<double> h) const override {
    const std::span<const double> gain = gains(query);
    const double total_gain = std::accumulate(gain.begin(), gain.end(), 0.0);
    // Nothing tells its documents apart.
    if (total_gain == 0.0 || gain.size() < 2) return;
    const double largest = *std::max_element(scores.begin(), scores.end());
    std::vector<double> odds(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) odds[i] = std::exp(scores[i] - largest);
    const double total = std::accumulate(odds.begin(), odds.end(), 0.0);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double p = odds[i] / total;
      g[i] += p - gain[i] / total_gain;
      h[i] += p * (1.0 - p);
    }
  }
};

}  // namespace

constinit const Loss kListNet{
    .name = "listnet",
    .metric = "ndcg@10",
    .predicts = Predictions::kRanks,
    .link = [](double score) { return score; },
    .make = [](std::span<const double>, std::span<const double>,
               const LossParameters&) -> std::unique_ptr<Objective> {
      throw InvalidInput("loss='listnet' is one of whole queries.");
    },
    .make_joint = [](const TargetTable& targets, std::span<const double> weights,
                     const LossParameters&) -> std::unique_ptr<JointObjective> {
      return std::make_unique<ListNet>(targets, weights);
    },
};

}  // namespace plboost
