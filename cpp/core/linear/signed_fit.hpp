#pragma once

#include <cstddef>

#include "core/linear/solver.hpp"

namespace plboost {

// Least squares with signs: while slopes are on the wrong side, the worst of them is left out and
// the others are solved again. violation(column, slopes) is how far it is on the wrong side, above
// 0 if it is. Returns the loss.
template <typename Violation>
double solve_signed(Solver& solver, NormalEquations& equations, FirstColumn first,
                    Violation&& violation) {
  equations.left_out.assign(equations.n_columns(), 0);
  for (;;) {
    const double loss = solver.solve(equations, first);
    double worst = 0.0;
    std::size_t column = 0;
    for (std::size_t j = 0; j < equations.n_columns(); ++j) {
      if (j == 0 && first == FirstColumn::kFixedAtOne) continue;
      const double wrong = equations.left_out[j] ? 0.0 : violation(j, solver.slopes());
      if (wrong > worst) {
        worst = wrong;
        column = j;
      }
    }
    if (!(worst > 0.0)) return loss;
    equations.left_out[column] = 1;
  }
}

}  // namespace plboost
