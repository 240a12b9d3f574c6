#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/linear/ridge.hpp"
#include "core/linear/solver.hpp"

namespace plboost {

// One column of a leaf's model over the leaf's rows: a feature through its codes, or plain numbers
// (the path's z).
struct LeafColumn {
  const std::uint32_t* words = nullptr;  // the group's code words, or null
  unsigned shift = 0;                    // where in the word the feature's code lies
  const float* values = nullptr;         // by code; by row where `words` is null
  ColumnRidge ridge;

  double at(std::size_t row) const {
    return static_cast<double>(values[words == nullptr ? row : (words[row] >> shift) & 0xffU]);
  }
};

// f = intercept + sum_j slopes_j column_j.
struct LeafLine {
  double intercept = 0.0;
  std::vector<double> slopes;

  double at(std::span<const LeafColumn> columns, std::size_t row) const {
    double output = intercept;
    for (std::size_t j = 0; j < columns.size(); ++j) output += slopes[j] * columns[j].at(row);
    return output;
  }
};

// FitNode of the paper's Algorithm 1, in float64, on n rows in leaf order.
LeafLine fit_leaf(const float* g, const float* h, std::size_t n,
                  std::span<const LeafColumn> columns, FirstColumn first,
                  const RidgeOptions& options);

}  // namespace plboost
