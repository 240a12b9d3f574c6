#pragma once

#include "core/kernels/kernels.hpp"

namespace plboost::generic {

// The destination is chosen without a branch: the sides of neighbouring rows are as good as random.
template <typename Isa>
void partition(const std::byte* items, const std::uint64_t* goes_left, std::size_t n,
               std::byte* left, std::byte* right) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t is_left = (goes_left[i / 64] >> (i % 64)) & 1U;
    __builtin_memcpy(is_left ? left : right, items + 4 * i, 4);
    left += 4 * is_left;
    right += 4 * (1 - is_left);
  }
}

}  // namespace plboost::generic
