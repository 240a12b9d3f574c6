#include "core/linear/solver.hpp"

#include <algorithm>
#include <cmath>

namespace plboost {

double Solver::solve(const NormalEquations& equations, FirstColumn first) {
  load(equations);
  double loss = 0.0;
  if (a(0, 0) > 0.0) {
    if (first == FirstColumn::kFixedAtOne && size_ > 1) loss += fix_first_column();
    loss += eliminate(equations);
    substitute_back();
  }
  const bool finite = std::isfinite(loss) && std::all_of(theta_.begin(), theta_.end(),
                                                         [](double t) { return std::isfinite(t); });
  if (finite) return loss;
  std::fill(theta_.begin(), theta_.end(), 0.0);
  return 0.0;
}

void Solver::load(const NormalEquations& equations) {
  const std::size_t k = equations.n_columns();
  size_ = k + 1;
  matrix_.assign(size_ * size_, 0.0);
  right_side_.assign(size_, 0.0);
  theta_.assign(size_, 0.0);
  dropped_.assign(size_, 0);
  fixed_.assign(size_, 0);
  a(0, 0) = equations.h + options_.l2;
  right_side_[0] = equations.g;
  for (std::size_t j = 0; j < k; ++j) {
    right_side_[j + 1] = equations.gradients[j];
    for (std::size_t l = 0; l < k; ++l) a(j + 1, l + 1) = equations.moment(j, l);
    a(j + 1, j + 1) += equations.ridge[j].own;
  }
  if (options_.penalty == Penalty::kPaper) {
    // The intercept in the user's units is b = m - sum_j s_j offset_j: l2 b^2 couples everything.
    const auto offset = [&](std::size_t j) { return equations.means[j] + equations.ridge[j].zero; };
    for (std::size_t j = 0; j < k; ++j) {
      a(0, j + 1) = a(j + 1, 0) = -options_.l2 * offset(j);
      for (std::size_t l = 0; l < k; ++l) a(j + 1, l + 1) += options_.l2 * offset(j) * offset(l);
    }
  }
  diagonal_.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) diagonal_[i] = a(i, i);
}

// The slope 1 turns the first column's terms into constants and into a part of the right side.
double Solver::fix_first_column() {
  const double constant = a(1, 1) / 2 + right_side_[1];
  for (std::size_t i = 0; i < size_; ++i) {
    if (i != 1) right_side_[i] += a(i, 1);
  }
  theta_[1] = 1.0;
  fixed_[1] = 1;
  return constant;
}

bool Solver::keeps(const NormalEquations& equations, std::size_t i) const {
  const double pivot = matrix_[i * size_ + i];
  if (i == 0) return pivot > 0.0;
  if (!equations.left_out.empty() && equations.left_out[i - 1]) return false;
  const double moment = equations.moment(i - 1, i - 1);
  return moment > tolerance_.moment * equations.spread[i - 1] &&
         pivot > tolerance_.pivot * diagonal_[i];
}

// LDL' with the elimination applied to the right side at once. Returns -1/2 b'A^-1 b.
double Solver::eliminate(const NormalEquations& equations) {
  double loss = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (fixed_[i]) continue;
    if (!keeps(equations, i)) {
      dropped_[i] = 1;
      continue;
    }
    const double pivot = a(i, i);
    loss -= right_side_[i] * right_side_[i] / (2 * pivot);
    for (std::size_t j = i + 1; j < size_; ++j) {
      const double factor = a(j, i) / pivot;
      right_side_[j] -= factor * right_side_[i];
      for (std::size_t l = i + 1; l < size_; ++l) a(j, l) -= factor * a(i, l);
    }
  }
  return loss;
}

void Solver::substitute_back() {
  for (std::size_t i = size_; i-- > 0;) {
    if (dropped_[i] || fixed_[i]) continue;
    double right = right_side_[i];
    for (std::size_t j = i + 1; j < size_; ++j) {
      if (!fixed_[j]) right += a(i, j) * theta_[j];
    }
    theta_[i] = -right / a(i, i);
  }
}

}  // namespace plboost
