#include "core/split/child_fit.hpp"

namespace plboost {

ChildFit CentredChildFit::operator()(const ChildSums& sums, const ChildColumns& columns) const {
  ChildFit fit;
  const double h = sums.h();
  fit.loss = -sums.g() * sums.g() / (2 * (h + l2_));
  double pivot_z = 0.0;  // 0: z takes no part
  double c_z = 0.0;
  double m_xz = 0.0;
  double c_x = sums.gx() - sums.g() * sums.hx() / h;
  if (columns.z) {
    const double m_zz = sums.hzz() - sums.hz() * sums.hz() / h;
    c_z = sums.gz() - sums.g() * sums.hz() / h;
    m_xz = sums.hxz() - sums.hx() * sums.hz() / h;
    if (columns.first == FirstColumn::kFixedAtOne) {
      fit.slope_z = 1.0;
      fit.loss += c_z + (m_zz + columns.ridge_z.own) / 2;
      c_x += m_xz;
    } else if (m_zz > kSearchTolerance.moment * sums.hzz()) {
      pivot_z = m_zz + columns.ridge_z.own;
      fit.loss -= c_z * c_z / (2 * pivot_z);
    }
  }
  if (columns.x) {
    const double m_xx = sums.hxx() - sums.hx() * sums.hx() / h;
    const double diagonal_x = m_xx + columns.ridge_x.own;
    const double factor = pivot_z > 0.0 ? m_xz / pivot_z : 0.0;
    const double pivot_x = diagonal_x - factor * m_xz;
    if (m_xx > kSearchTolerance.moment * sums.hxx() &&
        pivot_x > kSearchTolerance.pivot * diagonal_x) {
      const double rest = c_x - factor * c_z;
      fit.keeps_x = true;
      fit.slope_x = -rest / pivot_x;
      fit.loss -= rest * rest / (2 * pivot_x);
    }
  }
  if (pivot_z > 0.0) fit.slope_z = -(c_z + m_xz * fit.slope_x) / pivot_z;
  return fit;
}

ChildFit GeneralChildFit::operator()(const ChildSums& sums, const ChildColumns& columns) {
  const std::size_t at_x = columns.z ? 1 : 0;
  NormalEquations equations(at_x + (columns.x ? 1 : 0));
  const double h = sums.h();
  equations.g = sums.g();
  equations.h = h;
  const auto set_column = [&](std::size_t j, double gt, double ht, double htt, double centre,
                              const ColumnRidge& ridge) {
    equations.gradients[j] = gt - sums.g() * ht / h;
    equations.moment(j, j) = htt - ht * ht / h;
    equations.spread[j] = htt;
    equations.means[j] = centre + ht / h;
    equations.ridge[j] = ridge;
  };
  if (columns.z) {
    set_column(0, sums.gz(), sums.hz(), sums.hzz(), columns.centre_z, columns.ridge_z);
  }
  if (columns.x) {
    set_column(at_x, sums.gx(), sums.hx(), sums.hxx(), columns.centre_x, columns.ridge_x);
  }
  if (columns.z && columns.x) {
    equations.moment(0, 1) = equations.moment(1, 0) = sums.hxz() - sums.hx() * sums.hz() / h;
  }
  ChildFit fit;
  fit.loss = solver_.solve(equations, columns.z ? columns.first : FirstColumn::kFree);
  if (columns.z) fit.slope_z = solver_.slopes()[0];
  if (columns.x) {
    fit.slope_x = solver_.slopes()[at_x];
    fit.keeps_x = !solver_.dropped(at_x);
  }
  return fit;
}

}  // namespace plboost
