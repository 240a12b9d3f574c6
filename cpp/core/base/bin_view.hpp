#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace plboost {

// Where rows are few, neighbouring bins of a feature count as one: two, four or eight of them, at
// level 1, 2 or 3 (docs/algorithm.md, section 4).
inline constexpr unsigned kJoinLevels = 4;
// Features of no more bins are left alone.
inline constexpr int kFewBins = 16;
// What joining may take from the variance of a feature's values.
inline constexpr double kLostVariance = 0.01;

// When to join: cuts need not be closer, on average, than this weight.
struct JoinRule {
  double weight;  // of the node's rows
  double spacing;

  // n_occupied: bins from the first that holds rows to the last; highest: level of the feature.
  unsigned level(std::size_t n_occupied, unsigned highest) const {
    const double most = spacing * static_cast<double>(n_occupied);
    unsigned level = highest;
    while (level > 0 && static_cast<double>(1U << level) * weight > most) --level;
    return level;
  }
};

// The bins of a feature as the rows of a node see them: joined, from the first that holds rows to
// the last. Codes count from there on; the missing value's follows.
struct BinView {
  std::uint8_t level = 0;
  std::uint8_t first = 0;
  std::uint8_t n = 0;

  // The last of a feature's n_bins bins that this one stands for. Behind the last of the view come
  // those that hold no rows here, all of them.
  int last_bin(int bin, int n_bins) const {
    return bin + 1 == n ? n_bins - 1 : ((first + bin + 1) << level) - 1;
  }
};

// Of the bins that are joined, the one whose value stands for all.
inline std::size_t middle_bin(std::size_t joined, unsigned level, std::size_t n_bins) {
  return std::min((joined << level) + ((std::size_t{1} << level) / 2), n_bins - 1);
}

}  // namespace plboost
