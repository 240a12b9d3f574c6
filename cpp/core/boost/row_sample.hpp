#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/dataset/dataset.hpp"
#include "core/grow/leaf_order.hpp"

namespace plboost {

enum class SubsampleMethod {
  kUniform,
  kGoss,  // the rows of the largest gradients, and others that stand for the rest
};

struct RowSampleOptions {
  SubsampleMethod method = SubsampleMethod::kUniform;
  double top_rate = 0.0;  // of all rows; 0: two thirds of the sample
};

// Draws the rows that a tree and its leaf models know of (docs/algorithm.md, section 10).
class RowSample {
 public:
  // n: how many are drawn.
  RowSample(const Dataset& dataset, std::size_t n, const RowSampleOptions& options);

  // The rows drawn, with their gradients, or all as they are. Good until the next draw.
  Gradients draw(const Gradients& all, std::uint64_t place);

 private:
  void draw_rows(const Gradients& all, std::uint64_t place);
  void keep_top(const Gradients& all, std::uint32_t first);
  void set_weights(const Gradients& all);

  const Dataset& dataset_;
  const std::size_t n_;
  std::size_t n_top_ = 0;
  float stands_for_ = 1.0F;                 // how many rows each of the others does
  std::vector<char> is_top_;                // by row; empty: none
  std::optional<std::uint64_t> drawn_for_;  // the place whose rows, drawn uniformly, these are
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> rows_;
  std::vector<float> g_, h_, w_;
};

}  // namespace plboost
