#pragma once

#include <immintrin.h>

#include "core/kernels/kernels.hpp"

namespace plboost::bmi2 {

template <typename Isa>
[[gnu::always_inline]] inline std::size_t count_left(const std::uint64_t* goes_left,
                                                     std::size_t n) {
  std::size_t n_left = 0;
  for (std::size_t at = 0; at < n; at += 64) {
    const auto count = static_cast<unsigned>(n - at < 64 ? n - at : 64);
    n_left += static_cast<std::size_t>(_mm_popcnt_u64(_bzhi_u64(goes_left[at / 64], count)));
  }
  return n_left;
}

// Paper section 5.2: every bit becomes a byte of ones or zeros, and one PEXT for each side takes
// the codes of eight rows apart. Eight bytes are stored on either side as long as later codes will
// overwrite those that are too many: the memory behind the last may be another node's.
template <typename Isa>
void partition_codes(const std::byte* codes, const std::uint64_t* goes_left, std::size_t n,
                     std::byte* left, std::byte* right) {
  const std::size_t n_left = count_left<Isa>(goes_left, n);
  const std::byte* left_end = left + n_left;
  const std::byte* right_end = right + (n - n_left);
  std::size_t at = 0;
  for (; left_end - left >= 8 && right_end - right >= 8; at += 8) {
    const std::uint64_t bits = (goes_left[at / 64] >> (at % 64)) & 0xff;
    const std::uint64_t bytes = 0xff * _pdep_u64(bits, 0x0101010101010101);
    std::uint64_t eight;
    __builtin_memcpy(&eight, codes + at, 8);
    const std::uint64_t to_left = _pext_u64(eight, bytes);
    const std::uint64_t to_right = _pext_u64(eight, ~bytes);
    __builtin_memcpy(left, &to_left, 8);
    __builtin_memcpy(right, &to_right, 8);
    const auto n_here = static_cast<std::size_t>(_mm_popcnt_u64(bits));
    left += n_here;
    right += 8 - n_here;
  }
  for (; at < n; ++at) {
    std::byte*& to = (goes_left[at / 64] >> (at % 64)) & 1U ? left : right;
    *to++ = codes[at];
  }
}

}  // namespace plboost::bmi2
