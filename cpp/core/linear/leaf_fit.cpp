#include "core/linear/leaf_fit.hpp"

#include <algorithm>

namespace plboost {
namespace {

constexpr std::size_t kBlockRows = 256;

// Sums around the first row's values. They lie among the leaf's own, which keeps the centred
// moments accurate in a leaf that is narrow and far from the feature's mean, and makes those of a
// constant column exactly zero.
struct LeafSums {
  explicit LeafSums(std::size_t k) : reference(k), gx(k), hx(k), hxx(k * k) {}

  double g = 0.0;
  double h = 0.0;
  std::vector<double> reference;
  std::vector<double> gx, hx, hxx;  // hxx: lower triangle
};

LeafSums sum_rows(const float* g, const float* h, std::size_t n,
                  std::span<const LeafColumn> columns) {
  const std::size_t k = columns.size();
  LeafSums sums(k);
  for (std::size_t j = 0; j < k && n > 0; ++j) sums.reference[j] = columns[j].at(0);
  std::vector<double> block(k * kBlockRows);
  for (std::size_t begin = 0; begin < n; begin += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, n - begin);
    for (std::size_t i = 0; i < count; ++i) {
      sums.g += static_cast<double>(g[begin + i]);
      sums.h += static_cast<double>(h[begin + i]);
    }
    for (std::size_t j = 0; j < k; ++j) {
      double* x = block.data() + j * kBlockRows;
      for (std::size_t i = 0; i < count; ++i) {
        x[i] = columns[j].at(begin + i) - sums.reference[j];
        sums.gx[j] += static_cast<double>(g[begin + i]) * x[i];
        sums.hx[j] += static_cast<double>(h[begin + i]) * x[i];
      }
      for (std::size_t l = 0; l <= j; ++l) {
        const double* y = block.data() + l * kBlockRows;
        double hxy = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
          hxy += static_cast<double>(h[begin + i]) * x[i] * y[i];
        }
        sums.hxx[j * k + l] += hxy;
      }
    }
  }
  return sums;
}

NormalEquations centre(const LeafSums& sums, std::span<const LeafColumn> columns) {
  const std::size_t k = columns.size();
  NormalEquations equations(k);
  equations.g = sums.g;
  equations.h = sums.h;
  if (!(sums.h > 0.0)) return equations;
  for (std::size_t j = 0; j < k; ++j) {
    const double mean = sums.hx[j] / sums.h;
    equations.means[j] = sums.reference[j] + mean;
    equations.gradients[j] = sums.gx[j] - sums.g * mean;
    equations.spread[j] = sums.hxx[j * k + j];
    equations.ridge[j] = columns[j].ridge;
    for (std::size_t l = 0; l <= j; ++l) {
      equations.moment(j, l) = equations.moment(l, j) = sums.hxx[j * k + l] - mean * sums.hx[l];
    }
  }
  return equations;
}

}  // namespace

LeafLine fit_leaf(const float* g, const float* h, std::size_t n,
                  std::span<const LeafColumn> columns, FirstColumn first,
                  const RidgeOptions& options) {
  const NormalEquations equations = centre(sum_rows(g, h, n, columns), columns);
  Solver solver(options, kLeafTolerance);
  solver.solve(equations, first);
  LeafLine line;
  line.intercept = solver.mean();
  line.slopes.assign(solver.slopes().begin(), solver.slopes().end());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    line.intercept -= line.slopes[j] * equations.means[j];
  }
  return line;
}

}  // namespace plboost
