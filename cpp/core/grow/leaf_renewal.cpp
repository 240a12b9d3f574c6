#include "core/grow/leaf_renewal.hpp"

#include <vector>

#include "core/base/weighted_quantile.hpp"

namespace plboost {

double renewed_constant(LeafSums& sums, const ShrunkLeaf& leaf, const LeafRenewal& renewal,
                        std::size_t worker) {
  // Of the rows in a tree that knows some of them only, and elsewhere.
  const std::span<const float> known = sums.gradients().w;
  const std::span<const float> weights = sums.weights();
  std::vector<WeightedValue> left;
  for (std::size_t block = 0; block < sums.assignment().n_blocks(); ++block) {
    const LeafRows rows = sums.assignment().rows(block, leaf.number);
    const std::span<const double> outputs = sums.outputs(block, leaf, worker);
    for (std::size_t i = 0; i < rows.n; ++i) {
      const std::size_t row = rows.first + rows.rows[i];
      double weight = renewal.weights.empty() ? 1.0 : renewal.weights[row];
      if (!known.empty()) {
        if (known[row] == 0.0F) continue;
        weight *= static_cast<double>(known[row]) /
                  (weights.empty() ? 1.0 : static_cast<double>(weights[row]));
      }
      const double residual = (renewal.targets[row] - renewal.scores[row]) / renewal.unit;
      left.push_back({residual - outputs[i], weight});
    }
  }
  return weighted_quantile(left, renewal.level);
}

}  // namespace plboost
