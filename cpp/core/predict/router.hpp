#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/tree/tree.hpp"

namespace plboost {

// Sends many rows down one tree, several side by side: each step waits for the memory of the one
// before it and for a comparison that nobody can foresee, other rows' steps do not.
class Router {
 public:
  static constexpr std::size_t kRows = 8;

  explicit Router(const Tree& tree) {
    steps_.reserve(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const Node& node = tree.nodes[i];
      if (node.is_leaf()) {
        // Leads to itself, whatever the value.
        steps_.push_back(
            {std::numeric_limits<double>::infinity(), 0, static_cast<std::uint32_t>(i), false});
      } else {
        steps_.push_back({node.threshold, static_cast<std::uint32_t>(node.feature),
                          static_cast<std::uint32_t>(node.child), !node.missing_left});
      }
    }
  }

  // The nodes in which kRows rows end; row i has its values at values + i * stride.
  std::array<std::uint32_t, kRows> ends(const double* values, std::size_t stride) const {
    std::array<std::uint32_t, kRows> at{};
    for (;;) {
      std::uint32_t moved = 0;
      for (std::size_t i = 0; i < kRows; ++i) {
        const Step& step = steps_[at[i]];
        const double value = values[i * stride + step.feature];
        const bool right = (value > step.threshold) | (std::isnan(value) & step.missing_right);
        const std::uint32_t next = step.child + static_cast<std::uint32_t>(right);
        moved |= next ^ at[i];
        at[i] = next;
      }
      if (moved == 0) return at;
    }
  }

 private:
  struct Step {
    double threshold;
    std::uint32_t feature;
    std::uint32_t child;
    bool missing_right;
  };

  std::vector<Step> steps_;
};

}  // namespace plboost
