#pragma once

#include <immintrin.h>

#include "core/kernels/generic/histogram.inl.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost::bmi2 {

// Paper section 5.2: every bit becomes a byte of ones or zeros, and one PEXT for each side takes
// the codes of eight rows apart. Eight bytes are stored on either side as long as later codes will
// overwrite those that are too many: the memory behind the last may be another node's.
template <typename Isa>
void partition_codes(const std::byte* codes, const std::uint64_t* goes_left, std::size_t n,
                     std::byte* left, std::byte* right) {
  std::size_t n_left = 0;
  for (std::size_t at = 0; at < n; at += 64) {
    const auto count = static_cast<unsigned>(n - at < 64 ? n - at : 64);
    n_left += static_cast<std::size_t>(_mm_popcnt_u64(_bzhi_u64(goes_left[at / 64], count)));
  }
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

// Adds a row to the bins of its four codes. One instruction (PDEP) turns the codes into four places
// of 16 bits, in bytes, which are then taken one after another.
template <typename Isa, std::size_t kSlots>
[[gnu::always_inline]] inline void add_row(std::uint64_t codes, const float* statistics,
                                           float* histogram) {
  static_assert(kLanes * sizeof(float) == 32 && kCodes == 256);
  const generic::Float8 row = generic::load<Isa, generic::Float8>(statistics);
  const std::uint64_t places = _pdep_u64(codes, 0x1fe01fe01fe01fe0);
  for (std::size_t f = 0; f < kSlots; ++f) {
    const std::size_t place = (places >> (16 * f)) & 0xffffU;
    float* bin = histogram + f * kSlotFloats + place / sizeof(float);
    generic::store<Isa>(bin, generic::load<Isa, generic::Float8>(bin) + row);
  }
}

// As generic::update_slots, four rows a turn and the codes of two in a load: loads and stores are
// what it is made of. Only where PDEP is fast: there are processors with AVX2, but none with
// AVX-512, that take dozens of cycles for it.
template <typename Isa, std::size_t kSlots>
void update_slots(const std::uint32_t* codes, const float* statistics, std::size_t n,
                  float* histogram) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    std::uint64_t pairs[2];
    __builtin_memcpy(pairs, codes + i, sizeof pairs);
    for (std::size_t r = 0; r < 4; ++r) {
      add_row<Isa, kSlots>(pairs[r / 2] >> (32 * (r % 2)), statistics + (i + r) * kLanes,
                           histogram);
    }
  }
  for (; i < n; ++i) add_row<Isa, kSlots>(codes[i], statistics + i * kLanes, histogram);
}

template <typename Isa>
void update_histogram(const std::uint32_t* codes, const float* statistics, std::size_t n,
                      std::size_t n_slots, float* histogram) {
  generic::with_slots<Isa>(n_slots, [&](auto slots) {
    update_slots<Isa, slots.kCount>(codes, statistics, n, histogram);
  });
}

}  // namespace plboost::bmi2
