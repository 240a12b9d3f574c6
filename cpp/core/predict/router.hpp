#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/tree/tree.hpp"

namespace plboost {

// Sends many rows down one tree, several side by side: each step waits for the memory of the one
// before it and for a comparison that nobody can foresee, other rows' steps do not.
class Router {
 public:
  static constexpr std::size_t kRows = 8;

  // The tree must outlive it.
  explicit Router(const Tree& tree) : sets_(tree.category_sets) {
    steps_.reserve(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const Node& node = tree.nodes[i];
      if (node.is_leaf()) {
        // Leads to itself, whatever the value.
        steps_.push_back(
            {std::numeric_limits<double>::infinity(), 0, static_cast<std::uint32_t>(i), false, -1});
      } else {
        steps_.push_back({node.threshold, static_cast<std::uint32_t>(node.feature),
                          static_cast<std::uint32_t>(node.child), !node.missing_left,
                          node.category_set});
      }
    }
  }

  // The nodes in which kRows rows end; row i has its values at values + i * stride.
  std::array<std::uint32_t, kRows> ends(const double* values, std::size_t stride) const {
    return sets_.empty() ? ends<false>(values, stride) : ends<true>(values, stride);
  }

 private:
  struct Step {
    double threshold;
    std::uint32_t feature;
    std::uint32_t child;
    bool missing_right;
    std::int32_t category_set;
  };

  // Trees without categorical splits do not ask for them.
  template <bool kSets>
  std::array<std::uint32_t, kRows> ends(const double* values, std::size_t stride) const {
    std::array<std::uint32_t, kRows> at{};
    for (;;) {
      std::uint32_t moved = 0;
      for (std::size_t i = 0; i < kRows; ++i) {
        const Step& step = steps_[at[i]];
        const double value = values[i * stride + step.feature];
        bool right = (value > step.threshold) | (std::isnan(value) & step.missing_right);
        if constexpr (kSets) {
          if (step.category_set >= 0) right = !goes_left(step, value);
        }
        const std::uint32_t next = step.child + static_cast<std::uint32_t>(right);
        moved |= next ^ at[i];
        at[i] = next;
      }
      if (moved == 0) return at;
    }
  }

  bool goes_left(const Step& step, double value) const {
    if (!(value >= 0.0 && value < CategorySet::kCodes)) return !step.missing_right;
    return sets_[static_cast<std::size_t>(step.category_set)].has(static_cast<std::size_t>(value));
  }

  std::vector<Step> steps_;
  std::span<const CategorySet> sets_;
};

}  // namespace plboost
