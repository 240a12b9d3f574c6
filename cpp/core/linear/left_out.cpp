#include "core/linear/left_out.hpp"

#include <algorithm>

namespace plboost {

LeftOutFactors::LeftOutFactors(const LeafMoments& moments, const LeafLine& line,
                               std::span<const double> ridges)
    : k_(line.slopes.size()), mean_(line.intercept), numbers_(2 * k_ + k_ * (k_ - 1) / 2) {
  double* means = numbers_.data();
  double* inverse = means + k_;
  double* factors = inverse + k_;
  const auto row = [](std::size_t j) { return j * (j - 1) / 2; };
  std::vector<double> reduced(k_);  // a row of LD
  for (std::size_t j = 0; j < k_ && moments.h() > 0.0; ++j) {
    means[j] = moments.hx(j) / moments.h();
    mean_ += line.slopes[j] * means[j];
    if (line.slopes[j] == 0.0) continue;
    const double diagonal = moments.hxx(j, j) - means[j] * moments.hx(j) + ridges[j];
    double pivot = diagonal;
    for (std::size_t l = 0; l < j; ++l) {
      reduced[l] = moments.hxx(j, l) - means[j] * moments.hx(l);
      for (std::size_t i = 0; i < l; ++i) reduced[l] -= reduced[i] * factors[row(l) + i];
      factors[row(j) + l] = reduced[l] * inverse[l];
      pivot -= reduced[l] * factors[row(j) + l];
    }
    if (pivot > kLeafTolerance.pivot * diagonal) inverse[j] = 1.0 / pivot;
  }
}

double believed_part(const double* sums) {
  const double part = sums[0] / sums[1];
  return part > 0.0 ? std::min(part, 1.0) : 0.0;
}

}  // namespace plboost
