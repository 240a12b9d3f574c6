#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/linear/ridge.hpp"

namespace plboost {

// When a column is dropped, relative to its own size: float32 sums carry less than the float64 sums
// of a leaf fit.
struct Tolerance {
  double moment;  // of its centred second moment, relative to NormalEquations::spread
  double pivot;   // of its pivot, relative to its diagonal element
};
inline constexpr Tolerance kSearchTolerance{.moment = 1e-6, .pivot = 1e-6};
inline constexpr Tolerance kLeafTolerance{.moment = 0.0, .pivot = 1e-9};

// The least-squares problem of a node around the means of its columns:
//   minimise 1/2 h m^2 + g m + 1/2 s'C s + c's + ridge   over f = m + sum_j s_j (t_j - mean_j)
struct NormalEquations {
  explicit NormalEquations(std::size_t n_columns) { clear(n_columns); }

  // For another problem: all zeros again, memory is kept.
  void clear(std::size_t n_columns) {
    g = h = 0.0;
    moments.assign(n_columns * n_columns, 0.0);
    gradients.assign(n_columns, 0.0);
    means.assign(n_columns, 0.0);
    spread.assign(n_columns, 0.0);
    ridge.assign(n_columns, {});
    left_out.clear();
  }

  std::size_t n_columns() const { return gradients.size(); }
  double& moment(std::size_t j, std::size_t l) { return moments[j * n_columns() + l]; }
  double moment(std::size_t j, std::size_t l) const { return moments[j * n_columns() + l]; }

  double g = 0.0;
  double h = 0.0;
  std::vector<double> moments;    // C, full and symmetric
  std::vector<double> gradients;  // c
  std::vector<double> means;
  std::vector<double>
      spread;  // second moments around any common centre, against which C_jj is judged
  std::vector<ColumnRidge> ridge;
  std::vector<char> left_out;  // columns that are dropped whatever they carry; empty: none
};

enum class FirstColumn {
  kFree,
  kFixedAtOne,  // additive fitting: the parent's linear part keeps its slopes
};

// Solves systems of one size after another without allocating anew.
class Solver {
 public:
  Solver(const RidgeOptions& options, const Tolerance& tolerance)
      : options_(options), tolerance_(tolerance) {}

  // Returns the smallest loss (paper Eq. 4); mean() and slopes() are where it is taken (paper Eq.
  // 3). Columns that carry no information are dropped. Nothing it returns is infinite or NaN.
  double solve(const NormalEquations& equations, FirstColumn first = FirstColumn::kFree);

  double mean() const { return theta_[0]; }
  std::span<const double> slopes() const { return std::span(theta_).subspan(1); }
  bool dropped(std::size_t column) const { return dropped_[column + 1] != 0; }

 private:
  double& a(std::size_t i, std::size_t j) { return matrix_[i * size_ + j]; }
  void load(const NormalEquations& equations);
  double fix_first_column();
  bool keeps(const NormalEquations& equations, std::size_t i) const;
  double eliminate(const NormalEquations& equations);
  void substitute_back();

  RidgeOptions options_;
  Tolerance tolerance_;
  std::size_t size_ = 0;            // columns + 1: the mean comes first
  std::vector<double> matrix_;      // C plus ridge, then its elimination
  std::vector<double> diagonal_;    // of the matrix before elimination
  std::vector<double> right_side_;  // g, c, then their elimination
  std::vector<double> theta_;
  std::vector<char> dropped_;
  std::vector<char> fixed_;
};

}  // namespace plboost
