#pragma once

#include <immintrin.h>

#include "core/kernels/kernels.hpp"

namespace plboost::avx2 {

// For every set of eight bits: the numbers of the set bits, in order.
struct Permutations {
  alignas(32) std::uint32_t of[256][8];
};

constexpr Permutations make_permutations() {
  Permutations table{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    unsigned n = 0;
    for (unsigned i = 0; i < 8; ++i) {
      if ((bits >> i) & 1U) table.of[bits][n++] = i;
    }
  }
  return table;
}

template <typename Isa>
inline constexpr Permutations kPermutations = make_permutations();

template <typename Isa>
[[gnu::always_inline]] inline __m256i first_lanes(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

template <typename Isa>
[[gnu::always_inline]] inline std::byte* store_chosen(__m256i item, unsigned bits, std::byte* to) {
  const int n = _mm_popcnt_u32(bits);
  const auto* order = reinterpret_cast<const __m256i*>(kPermutations<Isa>.of[bits]);
  _mm256_maskstore_epi32(reinterpret_cast<int*>(to), first_lanes<Isa>(n),
                         _mm256_permutevar8x32_epi32(item, _mm256_load_si256(order)));
  return to + 4 * n;
}

// Eight items an instruction. What is written never passes the place of the last item of its side:
// the memory behind may be another node's.
template <typename Isa>
void partition(const std::byte* items, const std::uint64_t* goes_left, std::size_t n,
               std::byte* left, std::byte* right) {
  for (std::size_t at = 0; at < n; at += 8) {
    const std::size_t count = n - at < 8 ? n - at : 8;
    const unsigned lanes = (1U << count) - 1;
    const auto bits = static_cast<unsigned>(goes_left[at / 64] >> (at % 64)) & lanes;
    const __m256i item = _mm256_maskload_epi32(reinterpret_cast<const int*>(items + 4 * at),
                                               first_lanes<Isa>(static_cast<int>(count)));
    left = store_chosen<Isa>(item, bits, left);
    right = store_chosen<Isa>(item, ~bits & lanes, right);
  }
}

}  // namespace plboost::avx2
