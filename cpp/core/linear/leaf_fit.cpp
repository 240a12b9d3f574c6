#include "core/linear/leaf_fit.hpp"

#include "core/linear/signed_fit.hpp"

namespace plboost {
namespace {

void solve(Solver& solver, NormalEquations& equations, std::span<const LeafColumn> columns,
           std::span<const double> mean_deviations, FirstColumn first, LeafLine& line) {
  solve_signed(solver, equations, first, [&](std::size_t j, std::span<const double> slopes) {
    return -columns[j].sign * slopes[j];
  });
  line.intercept = solver.mean();
  line.slopes.assign(solver.slopes().begin(), solver.slopes().end());
  line.left_out = equations.left_out;
  for (std::size_t j = 0; j < line.slopes.size(); ++j) {
    line.intercept -= line.slopes[j] * mean_deviations[j];
  }
}

}  // namespace

void LeafLine::shrink(const LeafMoments& moments, double factor) {
  for (std::size_t j = 0; j < slopes.size(); ++j) {
    const double slope = factor * slopes[j];
    if (moments.h() > 0.0) intercept += (slopes[j] - slope) * (moments.hx(j) / moments.h());
    slopes[j] = slope;
  }
}

const LeafLine& LeafFitter::fit(const LeafMoments& moments, std::span<const LeafColumn> columns) {
  const std::size_t k = columns.size();
  equations_.clear(k);
  deviations_.assign(k, 0.0);
  equations_.g = moments.g();
  equations_.h = moments.h();
  for (std::size_t j = 0; j < k && moments.h() > 0.0; ++j) {
    const double mean = moments.hx(j) / moments.h();
    deviations_[j] = mean;
    equations_.means[j] = columns[j].reference + mean;
    equations_.gradients[j] = moments.gx(j) - moments.g() * mean;
    equations_.spread[j] = moments.hxx(j, j);
    equations_.ridge[j] = columns[j].ridge;
    for (std::size_t l = 0; l <= j; ++l) {
      equations_.moment(j, l) = equations_.moment(l, j) = moments.hxx(j, l) - mean * moments.hx(l);
    }
  }
  solve(solver_, equations_, columns, deviations_, FirstColumn::kFree, line_);
  return line_;
}

LeafLine fit_leaf(const LeafMoments& moments, std::span<const LeafColumn> columns,
                  const RidgeOptions& options) {
  return LeafFitter(options).fit(moments, columns);
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
  Solver solver(options, kLeafTolerance);
  LeafLine line;
  solve(solver, equations, std::span(&column, 1), means, first, line);
  const double scale = k == 0 ? 0.0 : line.slopes[0];
  line.slopes.assign(path.begin(), path.end());
  for (double& slope : line.slopes) slope *= scale;
  line.left_out.assign(k, k > 0 ? line.left_out[0] : 0);
  return line;
}

}  // namespace plboost
