#pragma once

#include <immintrin.h>

#include "core/kernels/generic/leaves.inl.hpp"
#include "core/kernels/generic/vector.inl.hpp"
#include "core/kernels/kernels.hpp"
#include "core/kernels/target/bmi2.inl.hpp"

namespace plboost::avx512 {

template <typename Isa>
[[gnu::always_inline]] inline __mmask16 first_lanes(std::size_t n) {
  return n >= 16 ? __mmask16{0xffff} : static_cast<__mmask16>((1U << n) - 1);
}

template <typename Isa>
[[gnu::always_inline]] inline __m512i codes_of(const std::uint32_t* words, unsigned shift,
                                               __mmask16 lanes) {
  const __m512i word = _mm512_maskz_loadu_epi32(lanes, words);
  return _mm512_and_si512(_mm512_srl_epi32(word, _mm_cvtsi32_si128(static_cast<int>(shift))),
                          _mm512_set1_epi32(0xff));
}

// The eight words of `left` fit a register, from which the codes take theirs without memory.
template <typename Isa>
std::size_t mark_left(const std::uint32_t* codes, unsigned shift, const std::uint32_t* left,
                      std::size_t n, std::uint64_t* goes_left) {
  const __m512i sets =
      _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(left)));
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i low5 = _mm512_set1_epi32(31);
  std::size_t n_left = 0;
  for (std::size_t begin = 0; begin < n; begin += 64) {
    std::uint64_t bits = 0;
    for (std::size_t at = begin; at < begin + 64 && at < n; at += 16) {
      const __mmask16 lanes = first_lanes<Isa>(n - at);
      const __m512i code = codes_of<Isa>(codes + at, shift, lanes);
      const __m512i set = _mm512_permutexvar_epi32(_mm512_srli_epi32(code, 5), sets);
      const __m512i side = _mm512_srlv_epi32(set, _mm512_and_si512(code, low5));
      bits |= std::uint64_t{_mm512_mask_test_epi32_mask(lanes, side, one)} << (at - begin);
    }
    goes_left[begin / 64] = bits;
    n_left += static_cast<std::size_t>(_mm_popcnt_u64(bits));
  }
  return n_left;
}

// Moves the items of sixteen rows. What is written never passes the place of the last item of its
// side: the memory behind may be another node's. While both sides have room for sixteen, whole
// vectors are written, and what is too much of them is written over by the next.
template <typename Isa>
[[gnu::always_inline]] inline void move_rows(const ItemLanes& lanes, const std::byte* items,
                                             std::byte* left, std::byte* right, __mmask16 to_left,
                                             __mmask16 to_right, bool whole) {
  const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  // Compressing takes five times as long as permuting: once for all lanes.
  const __m512i of_left = _mm512_maskz_compress_epi32(to_left, places);
  const __m512i of_right = _mm512_maskz_compress_epi32(to_right, places);
  if (whole) {
    for (std::size_t lane = 0; lane < lanes.n_lanes; ++lane) {
      const std::size_t at = lane * lanes.stride;
      const __m512i item = _mm512_loadu_si512(items + at);
      _mm512_storeu_si512(left + at, _mm512_permutexvar_epi32(of_left, item));
      _mm512_storeu_si512(right + at, _mm512_permutexvar_epi32(of_right, item));
    }
    return;
  }
  const auto rows = static_cast<__mmask16>(to_left | to_right);
  const __mmask16 first_left = first_lanes<Isa>(static_cast<std::size_t>(_mm_popcnt_u32(to_left)));
  const __mmask16 first_right =
      first_lanes<Isa>(static_cast<std::size_t>(_mm_popcnt_u32(to_right)));
  for (std::size_t lane = 0; lane < lanes.n_lanes; ++lane) {
    const std::size_t at = lane * lanes.stride;
    const __m512i item = _mm512_maskz_loadu_epi32(rows, items + at);
    _mm512_mask_storeu_epi32(left + at, first_left, _mm512_permutexvar_epi32(of_left, item));
    _mm512_mask_storeu_epi32(right + at, first_right, _mm512_permutexvar_epi32(of_right, item));
  }
}

template <typename Isa>
void partition(const ItemLanes& lanes, const std::uint64_t* goes_left, std::size_t n) {
  const std::size_t all_left = bmi2::count_left<Isa>(goes_left, n);
  std::byte* left = lanes.left;
  std::byte* right = lanes.right;
  const std::byte* left_end = left + 4 * all_left;
  const std::byte* right_end = right + 4 * (n - all_left);
  for (std::size_t at = 0; at < n; at += 16) {
    const __mmask16 rows = first_lanes<Isa>(n - at);
    const auto bits = static_cast<__mmask16>(goes_left[at / 64] >> (at % 64));
    const auto to_left = static_cast<__mmask16>(bits & rows);
    const auto to_right = static_cast<__mmask16>(~bits & rows);
    const bool whole = n - at >= 16 && left_end - left >= 64 && right_end - right >= 64;
    move_rows<Isa>(lanes, lanes.items + 4 * at, left, right, to_left, to_right, whole);
    left += 4 * static_cast<std::size_t>(_mm_popcnt_u32(to_left));
    right += 4 * static_cast<std::size_t>(_mm_popcnt_u32(to_right));
  }
}

template <typename Isa>
void update_z(const std::uint32_t* codes, unsigned shift, const float* contribution, float slope_z,
              std::size_t n, float* z) {
  const __m512 slope = _mm512_set1_ps(slope_z);
  for (std::size_t at = 0; at < n; at += 16) {
    const __mmask16 lanes = first_lanes<Isa>(n - at);
    const __m512i code = codes_of<Isa>(codes + at, shift, lanes);
    const __m512 added =
        _mm512_mask_i32gather_ps(_mm512_setzero_ps(), lanes, code, contribution, 4);
    const __m512 scaled = _mm512_mul_ps(slope, _mm512_maskz_loadu_ps(lanes, z + at));
    _mm512_mask_storeu_ps(z + at, lanes, _mm512_add_ps(scaled, added));
  }
}

// See generic::PlainReader.
template <typename Isa, generic::Places kPlaces>
struct GatherReader {
  static constexpr bool kTogether = kPlaces == generic::Places::kTogether;

  GatherReader(const LeafRows& rows, std::size_t begin, std::size_t count)
      : first(kTogether ? rows.first + begin : rows.first),
        lanes(static_cast<__mmask8>((1U << count) - 1)) {
    if constexpr (!kTogether) {
      row = _mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(lanes, rows.rows + begin));
    }
  }

  generic::Double8 lane(const float* lane) const {
    if (lane == nullptr) return generic::Double8(_mm512_maskz_mov_pd(lanes, _mm512_set1_pd(1.0)));
    const float* from = lane + first;
    if constexpr (kTogether) {
      return generic::Double8(_mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, from)));
    }
    return generic::Double8(
        _mm512_cvtps_pd(_mm256_mmask_i32gather_ps(_mm256_setzero_ps(), lanes, row, from, 4)));
  }

  generic::Double8 deviation(const LeafTerm& term) const {
    const std::uint32_t* from = term.words + first;
    __m256i word;
    if constexpr (kTogether) {
      word = _mm256_maskz_loadu_epi32(lanes, from);
    } else {
      word = _mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), lanes, row, from, 4);
    }
    const __m256i code =
        _mm256_and_si256(_mm256_srl_epi32(word, _mm_cvtsi32_si128(static_cast<int>(term.shift))),
                         _mm256_set1_epi32(0xff));
    const __m512d value = _mm512_cvtps_pd(
        _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), lanes, code, term.values, 4));
    return generic::Double8(_mm512_maskz_sub_pd(lanes, value, _mm512_set1_pd(term.reference)));
  }

  std::size_t first;
  __mmask8 lanes;
  __m256i row{};
};

}  // namespace plboost::avx512
