#include "core/metric/mean_average_precision.hpp"

#include <algorithm>

#include "core/base/grades.hpp"
#include "core/metric/query_mean.hpp"

namespace plboost {
namespace {

// The mean precision over the relevant documents, those of a grade above 0, each at its own place;
// 0 for those beyond the cutoff. A query without relevant documents counts 0.
double average_precision(std::span<const RankedDocument> documents, std::size_t cutoff) {
  double sum = 0.0;
  std::size_t relevant = 0;
  for (std::size_t rank = 0; rank < documents.size(); ++rank) {
    if (documents[rank].grade == 0.0) continue;
    ++relevant;
    if (rank < cutoff) sum += static_cast<double>(relevant) / static_cast<double>(rank + 1);
  }
  // No ranking brings more of them before the cutoff.
  return relevant == 0 ? 0.0 : sum / static_cast<double>(std::min(relevant, cutoff));
}

double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  return query_mean(scores, targets, weights, parameters.queries,
                    [&](std::span<const RankedDocument> documents) {
                      return average_precision(documents, parameters.cutoff);
                    });
}

}  // namespace

constinit const Metric kMeanAveragePrecision{
    .name = "map",
    .measures = Predictions::kRanks,
    .better = Metric::Better::kHigher,
    .evaluate = evaluate,
    .check = [](std::span<const double> targets, std::span<const double>, std::size_t) {
      check_grades("the metric map", targets);
    }};

}  // namespace plboost
