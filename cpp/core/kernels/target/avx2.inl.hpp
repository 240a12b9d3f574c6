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

// The eight words of `left` are one register, from which the codes take theirs without memory.
template <typename Isa>
void mark_left(const std::uint32_t* codes, unsigned shift, const std::uint32_t* left, std::size_t n,
               std::uint64_t* goes_left) {
  const __m256i sets = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(left));
  const __m128i to_code = _mm_cvtsi32_si128(static_cast<int>(shift));
  for (std::size_t begin = 0; begin < n; begin += 64) {
    std::uint64_t bits = 0;
    for (std::size_t at = begin; at < begin + 64 && at < n; at += 8) {
      const int count = n - at < 8 ? static_cast<int>(n - at) : 8;
      const __m256i word =
          _mm256_maskload_epi32(reinterpret_cast<const int*>(codes + at), first_lanes<Isa>(count));
      const __m256i code =
          _mm256_and_si256(_mm256_srl_epi32(word, to_code), _mm256_set1_epi32(0xff));
      const __m256i set = _mm256_permutevar8x32_epi32(sets, _mm256_srli_epi32(code, 5));
      const __m256i side = _mm256_srlv_epi32(set, _mm256_and_si256(code, _mm256_set1_epi32(31)));
      const int signs = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(side, 31)));
      bits |= std::uint64_t{static_cast<unsigned>(signs) & ((1U << count) - 1)} << (at - begin);
    }
    goes_left[begin / 64] = bits;
  }
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
