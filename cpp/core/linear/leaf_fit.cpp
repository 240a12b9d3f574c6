#include "core/linear/leaf_fit.hpp"

#include "core/linear/signed_fit.hpp"

namespace plboost {
namespace {

LeafLine solve(NormalEquations& equations, std::span<const LeafColumn> columns,
               std::span<const double> mean_deviations, FirstColumn first,
               const RidgeOptions& options) {
  Solver solver(options, kLeafTolerance);
  solve_signed(solver, equations, first, [&](std::size_t j, std::span<const double> slopes) {
    return -columns[j].sign * slopes[j];
  });
  LeafLine line;
  line.intercept = solver.mean();
  line.slopes.assign(solver.slopes().begin(), solver.slopes().end());
  line.left_out = equations.left_out;
  for (std::size_t j = 0; j < line.slopes.size(); ++j) {
    line.intercept -= line.slopes[j] * mean_deviations[j];
  }
  return line;
}

}  // namespace

void LeafLine::shrink(const LeafMoments& moments, double factor) {
  for (std::size_t j = 0; j < slopes.size(); ++j) {
    const double slope = factor * slopes[j];
    if (moments.h() > 0.0) intercept += (slopes[j] - slope) * (moments.hx(j) / moments.h());
    slopes[j] = slope;
  }
}

LeafLine fit_leaf(const LeafMoments& moments, std::span<const LeafColumn> columns,
                  const RidgeOptions& options) {
  const std::size_t k = columns.size();
  NormalEquations equations(k);
  std::vector<double> means(k);
  equations.g = moments.g();
  equations.h = moments.h();
  for (std::size_t j = 0; j < k && moments.h() > 0.0; ++j) {
    means[j] = moments.hx(j) / moments.h();
    equations.means[j] = columns[j].reference + means[j];
    equations.gradients[j] = moments.gx(j) - moments.g() * means[j];
    equations.spread[j] = moments.hxx(j, j);
    equations.ridge[j] = columns[j].ridge;
    for (std::size_t l = 0; l <= j; ++l) {
      equations.moment(j, l) = equations.moment(l, j) =
          moments.hxx(j, l) - means[j] * moments.hx(l);
    }
  }
  return solve(equations, columns, means, FirstColumn::kFree, options);
}

LeafLine fit_path(const LeafMoments& moments, std::span<const double> path,
                  const LeafColumn& column, FirstColumn first, const RidgeOptions& options) {
  const std::size_t k = path.size();
  NormalEquations equations(k == 0 ? 0 : 1);
  double mean = 0.0;
  equations.g = moments.g();
  equations.h = moments.h();
  if (k > 0 && moments.h() > 0.0) {
    double gz = 0.0;
    double hz = 0.0;
    double hzz = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
      gz += path[j] * moments.gx(j);
      hz += path[j] * moments.hx(j);
      for (std::size_t l = 0; l < k; ++l) hzz += path[j] * path[l] * moments.hxx(j, l);
    }
    mean = hz / moments.h();
    equations.means[0] = column.reference + mean;
    equations.gradients[0] = gz - moments.g() * mean;
    equations.moment(0, 0) = hzz - mean * hz;
    equations.spread[0] = hzz;
    equations.ridge[0] = column.ridge;
  }
  const double means[] = {mean};
  LeafLine line = solve(equations, std::span(&column, 1), means, first, options);
  const double scale = k == 0 ? 0.0 : line.slopes[0];
  line.slopes.assign(path.begin(), path.end());
  for (double& slope : line.slopes) slope *= scale;
  line.left_out.assign(k, k > 0 ? line.left_out[0] : 0);
  return line;
}

}  // namespace plboost
