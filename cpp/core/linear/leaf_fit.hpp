#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/linear/ridge.hpp"
#include "core/linear/solver.hpp"

namespace plboost {

// Sums over the rows of a leaf, of deviations d_j of its columns from a reference near their
// values: that keeps the centred moments accurate in a leaf that is narrow and far from the
// feature's mean, and makes those of a constant column exactly zero.
struct LeafMoments {
  std::size_t n_columns;
  const double* sums;  // h d_j d_l for l <= j, d_0 = 1, row after row; then g d_j

  double h() const { return sums[0]; }
  double g() const { return sums[at_g()]; }
  double hx(std::size_t j) const { return sums[row(j + 1)]; }
  double gx(std::size_t j) const { return sums[at_g() + j + 1]; }
  double hxx(std::size_t j, std::size_t l) const {
    return j >= l ? sums[row(j + 1) + l + 1] : sums[row(l + 1) + j + 1];
  }

 private:
  static std::size_t row(std::size_t j) { return j * (j + 1) / 2; }
  std::size_t at_g() const { return row(n_columns + 1); }
};

// One column of a leaf's model.
struct LeafColumn {
  double reference = 0.0;
  ColumnRidge ridge;
  int sign = 0;  // that its slope must have; 0: any
};

// f = intercept + sum_j slopes_j d_j.
struct LeafLine {
  double intercept = 0.0;
  std::vector<double> slopes;
  std::vector<char> left_out;  // columns that their signs kept out of the fit

  // Keeps the mean output and takes the slopes times `factor`.
  void shrink(const LeafMoments& moments, double factor);
};

// FitNode of the paper's Algorithm 1, in float64: leaf after leaf without allocating anew.
class LeafFitter {
 public:
  explicit LeafFitter(const RidgeOptions& options)
      : solver_(options, kLeafTolerance), equations_(0) {}

  // What it returns lasts until the next leaf is fitted.
  const LeafLine& fit(const LeafMoments& moments, std::span<const LeafColumn> columns);

 private:
  Solver solver_;
  NormalEquations equations_;
  std::vector<double> deviations_;  // means of the columns'
  LeafLine line_;
};

// A single leaf.
LeafLine fit_leaf(const LeafMoments& moments, std::span<const LeafColumn> columns,
                  const RidgeOptions& options);

// The same with a single column z = sum_j path_j d_j, whose slope is free or fixed at 1. `column`
// is z's: its reference is what z is where all deviations are 0.
LeafLine fit_path(const LeafMoments& moments, std::span<const double> path,
                  const LeafColumn& column, FirstColumn first, const RidgeOptions& options);

}  // namespace plboost
