#pragma once

#include "core/kernels/kernels.hpp"

namespace plboost::generic {

template <typename Isa>
std::size_t mark_left(const std::uint32_t* codes, unsigned shift, const std::uint32_t* left,
                      std::size_t n, std::uint64_t* goes_left) {
  std::size_t n_left = 0;
  for (std::size_t begin = 0; begin < n; begin += 64) {
    const std::size_t count = n - begin < 64 ? n - begin : 64;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t code = (codes[begin + i] >> shift) & 0xffU;
      const std::uint64_t is_left = (left[code / 32] >> (code % 32)) & 1U;
      bits |= is_left << i;
      n_left += is_left;
    }
    goes_left[begin / 64] = bits;
  }
  return n_left;
}

// The destination is chosen by a mask, since the sides of neighbouring rows are as good as random
// and the compiler makes a branch of a choice.
template <typename Isa>
void partition(const ItemLanes& lanes, const std::uint64_t* goes_left, std::size_t n) {
  for (std::size_t lane = 0; lane < lanes.n_lanes; ++lane) {
    const std::byte* items = lanes.items + lane * lanes.stride;
    std::byte* left = lanes.left + lane * lanes.stride;
    std::byte* right = lanes.right + lane * lanes.stride;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t is_left = (goes_left[i / 64] >> (i % 64)) & 1U;
      const auto to_right = reinterpret_cast<std::uintptr_t>(right);
      const std::uintptr_t other =
          (reinterpret_cast<std::uintptr_t>(left) ^ to_right) & (0 - is_left);
      __builtin_memcpy(reinterpret_cast<std::byte*>(to_right ^ other), items + 4 * i, 4);
      left += 4 * is_left;
      right += 4 * (1 - is_left);
    }
  }
}

template <typename Isa>
void update_z(const std::uint32_t* codes, unsigned shift, const float* contribution, float slope_z,
              std::size_t n, float* z) {
  for (std::size_t i = 0; i < n; ++i) {
    z[i] = slope_z * z[i] + contribution[(codes[i] >> shift) & 0xffU];
  }
}

}  // namespace plboost::generic
