#pragma once

#include "core/kernels/generic/vector.inl.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost::generic {

template <typename Isa>
[[gnu::always_inline]] inline float at(const float* lane, std::size_t row, float otherwise) {
  return lane == nullptr ? otherwise : lane[row];
}

template <typename Isa>
[[gnu::always_inline]] inline Float8 lane_of(const float* lane, std::size_t row, float otherwise) {
  if (lane != nullptr) return load<Isa, Float8>(lane + row);
  return Float8{otherwise, otherwise, otherwise, otherwise,
                otherwise, otherwise, otherwise, otherwise};
}

template <typename Isa>
void fill_statistics(const RowStatistics& rows, std::size_t begin, std::size_t n, float* out) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const std::size_t row = begin + i;
    Float8 lanes[8];
    const Float8 z = lane_of<Isa>(rows.z, row, 0.0F);
    lanes[kG] = load<Isa, Float8>(rows.g + row);
    lanes[kH] = lane_of<Isa>(rows.h, row, 1.0F);
    lanes[kGZ] = lanes[kG] * z;
    lanes[kHZ] = lanes[kH] * z;
    lanes[kHZZ] = lanes[kHZ] * z;
    lanes[kW] = lane_of<Isa>(rows.w, row, 1.0F);
    lanes[kN] = Float8{} + 1.0F;
    lanes[7] = Float8{};
    transpose<Isa>(lanes);
    for (std::size_t r = 0; r < 8; ++r) store<Isa>(out + (i + r) * kLanes, lanes[r]);
  }
  for (; i < n; ++i) {
    const std::size_t row = begin + i;
    const float z = at<Isa>(rows.z, row, 0.0F);
    const float h = at<Isa>(rows.h, row, 1.0F);
    const float hz = h * z;
    store<Isa>(out + i * kLanes, Float8{rows.g[row], h, rows.g[row] * z, hz, hz * z,
                                        at<Isa>(rows.w, row, 1.0F), 1.0F, 0.0F});
  }
}

template <typename Isa>
void fill_products(const ProductLanes& lanes, std::size_t begin, std::size_t n, float* out) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    Float8 products[8];
    for (std::size_t l = 0; l < kLanes; ++l) {
      products[l] = lane_of<Isa>(lanes.left[l], begin + i, 1.0F) *
                    lane_of<Isa>(lanes.right[l], begin + i, 1.0F);
    }
    transpose<Isa>(products);
    for (std::size_t r = 0; r < 8; ++r) store<Isa>(out + (i + r) * kLanes, products[r]);
  }
  for (; i < n; ++i) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      out[i * kLanes + l] =
          at<Isa>(lanes.left[l], begin + i, 1.0F) * at<Isa>(lanes.right[l], begin + i, 1.0F);
    }
  }
}

// Adds a row to the bins of its codes, which are bytes kFirst, kFirst + 1, ... of `codes`. A shift
// and a mask make the place of a bin, in bytes, of a code.
template <typename Isa, std::size_t kSlots, std::size_t kFirst>
[[gnu::always_inline]] inline void add_row(std::uint64_t codes, const float* statistics,
                                           float* histogram) {
  constexpr unsigned kBinBits = 5;
  static_assert(kLanes * sizeof(float) == 1U << kBinBits && kCodes == 256);
  const Float8 row = load<Isa, Float8>(statistics);
  for (std::size_t f = 0; f < kSlots; ++f) {
    const std::size_t bit = 8 * (kFirst + f);
    const std::uint64_t shifted =
        bit < kBinBits ? codes << (kBinBits - bit) : codes >> (bit - kBinBits);
    const std::size_t place = shifted & (0xffU << kBinBits);
    auto* slot = reinterpret_cast<std::byte*>(histogram + f * kSlotFloats);
    const Float8 sum = load<Isa, Float8>(slot + place) + row;
    // Keeps the compiler from adding up the address of the bin first: load and store can do it.
    asm("" : "+r"(slot));
    store<Isa>(slot + place, sum);
  }
}

// Paper Algorithm 3, four features at a time: their four histograms (32 KB) stay in the first-level
// cache. Two rows a turn, whose codes are one load: loads and stores are what it is made of.
template <typename Isa, std::size_t kSlots>
void update_slots(const std::uint32_t* codes, const float* statistics, std::size_t n,
                  float* histogram) {
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    std::uint64_t pair;
    __builtin_memcpy(&pair, codes + i, sizeof pair);
    add_row<Isa, kSlots, 0>(pair, statistics + i * kLanes, histogram);
    add_row<Isa, kSlots, 4>(pair, statistics + (i + 1) * kLanes, histogram);
  }
  if (i < n) add_row<Isa, kSlots, 0>(codes[i], statistics + i * kLanes, histogram);
}

template <std::size_t kSlots>
struct Slots {
  static constexpr std::size_t kCount = kSlots;
};

// Calls update(Slots<n_slots>): loops over the slots of a group are written out.
template <typename Isa, typename Update>
[[gnu::always_inline]] inline void with_slots(std::size_t n_slots, Update&& update) {
  switch (n_slots) {
    case 1:
      return update(Slots<1>{});
    case 2:
      return update(Slots<2>{});
    case 3:
      return update(Slots<3>{});
    default:
      return update(Slots<4>{});
  }
}

template <typename Isa>
void update_histogram(const std::uint32_t* codes, const float* statistics, std::size_t n,
                      std::size_t n_slots, float* histogram) {
  with_slots<Isa>(n_slots, [&](auto slots) {
    update_slots<Isa, slots.kCount>(codes, statistics, n, histogram);
  });
}

}  // namespace plboost::generic
