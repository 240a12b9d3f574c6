#include "core/predict/predictor.hpp"

#include <algorithm>
#include <vector>

#include "core/predict/router.hpp"

namespace plboost {
namespace {

// From this many rows on it pays to make a router of every tree.
constexpr std::size_t kRoutedRows = 128;

// A block's rows stay in the second-level cache while every tree passes over them.
std::size_t rows_per_block(std::size_t n_features) {
  return std::clamp<std::size_t>(16384 / std::max<std::size_t>(n_features, 1), 1, 256);
}

// What the rows [begin, end) have, raw and standardised, one row after another.
struct Block {
  Block(const Forest& forest, const MatrixView& x, std::size_t first, std::size_t last)
      : begin(first),
        end(last),
        stride(forest.features.size()),
        values((end - begin) * stride),
        standardised(values.size()) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t at = (row - begin) * stride;
      for (std::size_t feature = 0; feature < stride; ++feature) {
        values[at + feature] = x.at(row, feature);
        standardised[at + feature] = forest.features[feature].standardise(values[at + feature]);
      }
    }
  }

  std::size_t begin;
  std::size_t end;
  std::size_t stride;
  std::vector<double> values;
  std::vector<double> standardised;
};

void add_rows(const Tree& tree, const Block& block, std::size_t first, std::span<double> scores) {
  for (std::size_t row = first; row < block.end; ++row) {
    const std::size_t at = (row - block.begin) * block.stride;
    scores[row] += tree.output(block.values.data() + at, block.standardised.data() + at);
  }
}

void add_routed(const Tree& tree, const Router& router, const Block& block,
                std::span<double> scores) {
  std::size_t row = block.begin;
  for (; row + Router::kRows <= block.end; row += Router::kRows) {
    const std::size_t at = (row - block.begin) * block.stride;
    const auto ends = router.ends(block.values.data() + at, block.stride);
    for (std::size_t i = 0; i < Router::kRows; ++i) {
      scores[row + i] +=
          tree.output(tree.nodes[ends[i]], block.standardised.data() + at + i * block.stride);
    }
  }
  add_rows(tree, block, row, scores);
}

}  // namespace

void add_outputs(const Forest& forest, std::size_t first, std::size_t last, const MatrixView& x,
                 std::span<double> scores, ThreadPool& pool) {
  const auto trees = std::span(forest.trees).subspan(first, last - first);
  const bool routed = x.n_rows >= kRoutedRows && x.n_columns > 0;
  const std::vector<Router> routers(trees.begin(), routed ? trees.end() : trees.begin());
  pool.run_range(x.n_rows, rows_per_block(x.n_columns), [&](std::size_t begin, std::size_t end) {
    const Block block(forest, x, begin, end);
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const std::size_t output = (first + i) % forest.n_outputs();
      const std::span<double> own = scores.subspan(output * x.n_rows, x.n_rows);
      if (routed) {
        add_routed(trees[i], routers[i], block, own);
      } else {
        add_rows(trees[i], block, begin, own);
      }
    }
  });
}

}  // namespace plboost
