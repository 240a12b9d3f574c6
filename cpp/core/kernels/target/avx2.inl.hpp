#pragma once

#include <immintrin.h>

#include "core/kernels/kernels.hpp"
#include "core/kernels/target/bmi2.inl.hpp"

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
std::size_t mark_left(const std::uint32_t* codes, unsigned shift, const std::uint32_t* left,
                      std::size_t n, std::uint64_t* goes_left) {
  const __m256i sets = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(left));
  const __m128i to_code = _mm_cvtsi32_si128(static_cast<int>(shift));
  std::size_t n_left = 0;
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
    n_left += static_cast<std::size_t>(_mm_popcnt_u64(bits));
  }
  return n_left;
}

template <typename Isa>
[[gnu::always_inline]] inline __m256i permutation(unsigned bits) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(kPermutations<Isa>.of[bits]));
}

// Moves the items of eight rows. What is written never passes the place of the last item of its
// side: the memory behind may be another node's. While both sides have room for eight, whole
// vectors are written, and what is too much of them is written over by the next.
template <typename Isa>
[[gnu::always_inline]] inline void move_rows(const ItemLanes& lanes, const std::byte* items,
                                             std::byte* left, std::byte* right, unsigned to_left,
                                             unsigned to_right, bool whole) {
  const __m256i of_left = permutation<Isa>(to_left);
  const __m256i of_right = permutation<Isa>(to_right);
  const int n_left = _mm_popcnt_u32(to_left);
  const int n_right = _mm_popcnt_u32(to_right);
  if (whole) {
    for (std::size_t lane = 0; lane < lanes.n_lanes; ++lane) {
      const std::size_t at = lane * lanes.stride;
      const __m256i item = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(items + at));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(left + at),
                          _mm256_permutevar8x32_epi32(item, of_left));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(right + at),
                          _mm256_permutevar8x32_epi32(item, of_right));
    }
    return;
  }
  const __m256i rows = first_lanes<Isa>(n_left + n_right);
  const __m256i first_left = first_lanes<Isa>(n_left);
  const __m256i first_right = first_lanes<Isa>(n_right);
  for (std::size_t lane = 0; lane < lanes.n_lanes; ++lane) {
    const std::size_t at = lane * lanes.stride;
    const __m256i item = _mm256_maskload_epi32(reinterpret_cast<const int*>(items + at), rows);
    _mm256_maskstore_epi32(reinterpret_cast<int*>(left + at), first_left,
                           _mm256_permutevar8x32_epi32(item, of_left));
    _mm256_maskstore_epi32(reinterpret_cast<int*>(right + at), first_right,
                           _mm256_permutevar8x32_epi32(item, of_right));
  }
}

template <typename Isa>
void partition(const ItemLanes& lanes, const std::uint64_t* goes_left, std::size_t n) {
  const std::size_t all_left = bmi2::count_left<Isa>(goes_left, n);
  std::byte* left = lanes.left;
  std::byte* right = lanes.right;
  const std::byte* left_end = left + 4 * all_left;
  const std::byte* right_end = right + 4 * (n - all_left);
  for (std::size_t at = 0; at < n; at += 8) {
    const unsigned rows = (1U << (n - at < 8 ? n - at : 8)) - 1;
    const auto bits = static_cast<unsigned>(goes_left[at / 64] >> (at % 64));
    const unsigned to_left = bits & rows;
    const unsigned to_right = ~bits & rows;
    const bool whole = n - at >= 8 && left_end - left >= 32 && right_end - right >= 32;
    move_rows<Isa>(lanes, lanes.items + 4 * at, left, right, to_left, to_right, whole);
    left += 4 * _mm_popcnt_u32(to_left);
    right += 4 * _mm_popcnt_u32(to_right);
  }
}

}  // namespace plboost::avx2
