#include "core/metric/ndcg.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "core/base/grades.hpp"
#include "core/metric/query_mean.hpp"

namespace plboost {
namespace {

// Documents of equal score share their places: the mean over all orders of them.
double dcg(std::span<const RankedDocument> documents, std::size_t cutoff) {
  double sum = 0.0;
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < std::min(cutoff, documents.size()); begin = end) {
    double gains = 0.0;
    double discounts = 0.0;
    for (end = begin; end < documents.size() && documents[end].score == documents[begin].score;
         ++end) {
      gains += gain_of(documents[end].grade);
      if (end < cutoff) discounts += discount_of(end);
    }
    sum += gains / static_cast<double>(end - begin) * discounts;
  }
  return sum;
}

double best_dcg(std::span<const RankedDocument> documents, std::size_t cutoff) {
  std::vector<double> grades;
  for (const RankedDocument& document : documents) grades.push_back(document.grade);
  std::sort(grades.begin(), grades.end(), std::greater<>());
  double sum = 0.0;
  for (std::size_t rank = 0; rank < std::min(cutoff, grades.size()); ++rank) {
    sum += gain_of(grades[rank]) * discount_of(rank);
  }
  return sum;
}

// A query without any document of a grade above 0 counts 0.
double evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<const double> weights, const MetricParameters& parameters) {
  return query_mean(scores, targets, weights, parameters.queries,
                    [&](std::span<const RankedDocument> documents) {
                      const double best = best_dcg(documents, parameters.cutoff);
                      return best == 0.0 ? 0.0 : dcg(documents, parameters.cutoff) / best;
                    });
}

}  // namespace

constinit const Metric kNdcg{
    .name = "ndcg",
    .measures = Predictions::kRanks,
    .better = Metric::Better::kHigher,
    .evaluate = evaluate,
    .check = [](std::span<const double> targets, std::span<const double>, std::size_t) {
      check_grades("the metric ndcg", targets);
    }};

}  // namespace plboost
