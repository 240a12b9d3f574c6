#include "core/grow/leaf_renewal.hpp"

#include <vector>

#include "core/base/weighted_quantile.hpp"

namespace plboost {
namespace {

// Calls each(row, output of the line) for the rows of a leaf.
template <typename Each>
void for_each_row(const LeafAssignment& assignment, std::size_t leaf, const LeafTerms& line,
                  Each&& each) {
  std::vector<double> outputs;
  for (std::size_t block = 0; block < assignment.n_blocks(); ++block) {
    const LeafRows rows = assignment.rows(block, leaf);
    outputs.resize(rows.n);
    kernels().leaf_outputs(line, rows, outputs.data());
    for (std::size_t i = 0; i < rows.n; ++i) each(rows.first + rows.rows[i], outputs[i]);
  }
}

}  // namespace

double renewed_constant(const LeafAssignment& assignment, std::size_t leaf, const LeafTerms& line,
                        const LeafRenewal& renewal, std::span<const float> known,
                        std::span<const float> weights) {
  std::vector<WeightedValue> left;
  for_each_row(assignment, leaf, line, [&](std::size_t row, double output) {
    double weight = renewal.weights.empty() ? 1.0 : renewal.weights[row];
    if (!known.empty()) {
      if (known[row] == 0.0F) return;
      weight *= static_cast<double>(known[row]) /
                (weights.empty() ? 1.0 : static_cast<double>(weights[row]));
    }
    const double residual = (renewal.targets[row] - renewal.scores[row]) / renewal.unit;
    left.push_back({residual - output, weight});
  });
  return weighted_quantile(left, renewal.level);
}

}  // namespace plboost
