#include "core/linear/left_out.hpp"

#include <algorithm>
#include <cmath>

namespace plboost {
namespace {

// Of the slopes of a tree, and of all trees: leaves are judged as if no less were.
constexpr double kLeastConfirmed = 0.05;
// Of the slopes of all trees, by rows that these do not know of: below it they count as noise.
constexpr double kNoNoise = 0.15;
// Rows of a tree with which doubts count twice.
constexpr double kFewRows = 500.0;

}  // namespace

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
    if (line.left_out[j]) continue;
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

// What rows that are left out confirm of the slopes of one leaf is a matter of chance, what they
// confirm of all slopes of the tree is not. So a leaf's own part is taken together with that of an
// average leaf; and doubts count the more the less is confirmed of the whole. In later trees that
// is little of any data, and only all trees together tell a rest of signal from noise that was
// there from the beginning. Rows that are left out of a fit have had their part in the choice of
// its columns, so they confirm half of what is noise alone: rows that the trees do not know of tell
// better, where there are such. Doubts count more where rows are few, too: there the splits
// themselves were chosen for what lines make of chance.
std::vector<double> believed_parts(std::span<const double> sums, double weight,
                                   double slope_shrinkage, Confirmation& so_far,
                                   const Confirmation& unknown) {
  const std::size_t n_leaves = sums.size() / kLeftOutSums;
  Confirmation of_tree;
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    of_tree += {sums[leaf * kLeftOutSums], sums[leaf * kLeftOutSums + 1]};
  }
  std::vector<double> parts(n_leaves, 0.0);
  if (!(of_tree.size > 0.0) || !std::isfinite(of_tree.agreement + of_tree.size)) return parts;
  so_far += of_tree;
  double of_all = so_far.part(kLeastConfirmed);
  if (unknown.size > 0.0) of_all *= std::min(1.0, unknown.part(kLeastConfirmed) / kNoNoise);
  const double doubt = slope_shrinkage * (1.0 + kFewRows / weight) /
                       (of_tree.part(kLeastConfirmed) * of_all * of_all);
  const auto n = static_cast<double>(n_leaves);
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    const double confirmed = (sums[leaf * kLeftOutSums] + of_tree.agreement / n) /
                             (sums[leaf * kLeftOutSums + 1] + of_tree.size / n);
    const double part = 1.0 - doubt * (1.0 - std::min(confirmed, 1.0));
    parts[leaf] = part > 0.0 ? part : 0.0;
  }
  return parts;
}

}  // namespace plboost
