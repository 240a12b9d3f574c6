#include "core/metric/ranked_rows.hpp"

#include <algorithm>
#include <numeric>

namespace plboost {
namespace {

void add(TiedRows& rows, double target, double weight) {
  (target == 1.0 ? rows.positive : rows.negative) += weight;
}

}  // namespace

std::vector<TiedRows> ranked_rows(std::span<const double> scores, std::span<const double> targets,
                                  std::span<const double> weights) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Equal scores in the order of the rows: sums do not depend on the sort.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  std::vector<TiedRows> groups;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || scores[order[i]] != scores[order[i - 1]]) groups.emplace_back();
    add(groups.back(), targets[order[i]], weights.empty() ? 1.0 : weights[order[i]]);
  }
  return groups;
}

}  // namespace plboost
