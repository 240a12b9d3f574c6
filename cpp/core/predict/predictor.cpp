#include "core/predict/predictor.hpp"

#include <algorithm>
#include <vector>

namespace plboost {
namespace {

// A block's rows stay in the second-level cache while every tree passes over them.
std::size_t rows_per_block(std::size_t n_features) {
  return std::clamp<std::size_t>(16384 / std::max<std::size_t>(n_features, 1), 1, 256);
}

void add_block(const Forest& forest, std::size_t first, std::size_t last, const MatrixView& x,
               std::size_t begin, std::size_t end, std::span<double> scores) {
  const std::size_t n_features = forest.features.size();
  std::vector<double> values((end - begin) * n_features);
  std::vector<double> standardised(values.size());
  for (std::size_t row = begin; row < end; ++row) {
    const std::size_t at = (row - begin) * n_features;
    for (std::size_t feature = 0; feature < n_features; ++feature) {
      values[at + feature] = x.at(row, feature);
      standardised[at + feature] = forest.features[feature].standardise(values[at + feature]);
    }
  }
  for (std::size_t tree = first; tree < last; ++tree) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t at = (row - begin) * n_features;
      scores[row] += forest.trees[tree].output(values.data() + at, standardised.data() + at);
    }
  }
}

}  // namespace

void add_outputs(const Forest& forest, std::size_t first, std::size_t last, const MatrixView& x,
                 std::span<double> scores, ThreadPool& pool) {
  pool.run_range(x.n_rows, rows_per_block(x.n_columns), [&](std::size_t begin, std::size_t end) {
    add_block(forest, first, last, x, begin, end, scores);
  });
}

}  // namespace plboost
