#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/queries.hpp"

namespace plboost {

struct RankedDocument {
  double score;
  double grade;
};

// The mean over the queries of measure(documents), which come best score first; of equal scores the
// worse grade comes first. A query weighs as its documents do on average, and documents of weight
// 0 are left out.
template <typename Measure>
double query_mean(std::span<const double> scores, std::span<const double> targets,
                  std::span<const double> weights, const Queries* all, Measure&& measure) {
  if (all == nullptr || all->empty()) throw InvalidInput("a metric of rankings needs queries.");
  const Queries& queries = *all;
  double total = 0.0;
  double sum = 0.0;
  std::vector<RankedDocument> documents;
  for (std::size_t query = 0; query < queries.size(); ++query) {
    documents.clear();
    double weight = 0.0;
    for (const std::uint32_t row : queries[query]) {
      const double own = weights.empty() ? 1.0 : weights[row];
      if (own == 0.0) continue;
      weight += own;
      documents.push_back({scores[row], targets[row]});
    }
    if (documents.empty()) continue;
    weight /= static_cast<double>(documents.size());
    std::sort(documents.begin(), documents.end(),
              [](const RankedDocument& a, const RankedDocument& b) {
                return a.score != b.score ? a.score > b.score : a.grade < b.grade;
              });
    total += weight;
    sum += weight * measure(std::span<const RankedDocument>(documents));
  }
  return sum / total;
}

}  // namespace plboost
