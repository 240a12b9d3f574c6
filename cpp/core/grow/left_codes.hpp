#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/dataset/dataset.hpp"
#include "core/kernels/kernels.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

// One bit per code of a feature: its rows go left.
using LeftCodes = std::array<std::uint32_t, kCodes / 32>;

inline LeftCodes left_codes(const CodedFeature& feature, const Candidate& split) {
  LeftCodes left{};
  const auto set = [&left](std::size_t code) { left[code / 32] |= 1U << (code % 32); };
  const int missing = feature.bins->missing_code();
  if (split.is_categorical || feature.shares_slot) {
    for (std::size_t code = 0; code < feature.n_codes; ++code) {
      if (split.goes_left(feature.bin_of_code[code], missing)) set(code);
    }
    return left;
  }
  // Codes are bins: all up to the threshold.
  const auto n_left = static_cast<std::size_t>(split.threshold + 1);
  std::fill_n(left.begin(), n_left / 32, ~0U);
  if (n_left % 32 != 0) left[n_left / 32] = (1U << (n_left % 32)) - 1;
  if (split.missing_left) set(static_cast<std::size_t>(missing));
  return left;
}

}  // namespace plboost
