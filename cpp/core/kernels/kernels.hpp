#pragma once

#include <cstddef>
#include <cstdint>

namespace plboost {

// Shapes that every kernel agrees on.
inline constexpr std::size_t kGroupFeatures = 4;      // features whose codes share one 32-bit word
inline constexpr std::size_t kCodesPerFeature = 256;  // codes are bytes
inline constexpr std::size_t kLanes = 8;  // one row's statistics: one vector of eight float32

// Which lane holds what. Six are in use: five sums suffice for half-additive fitting because a
// bin's x is a constant (the bin mean); the sixth counts weights.
enum Lane : std::size_t { kG, kH, kGZ, kHZ, kHZZ, kW };

// The rows of a node, in leaf order.
struct RowStatistics {
  const float* g;
  const float* h;
  const float* z;
  const float* w;
};

// The functions with a version per instruction set.
struct Kernels {
  const char* name;

  // out[i] = [g, h, gz, hz, hzz, w, 0, 0] of row begin + i.
  void (*fill_statistics)(const RowStatistics& rows, std::size_t begin, std::size_t n, float* out);

  // histogram[f][code][lane] += statistics[i][lane] for the four features f of the group's code
  // words.
  void (*update_histogram)(const std::uint32_t* codes, const float* statistics, std::size_t n,
                           float* histogram);

  // Stable split of n 32-bit items of any type by a bit vector (item i: bit i % 64 of word i / 64):
  // set bits go to `left`, the others to `right`, in order.
  void (*partition)(const std::byte* items, const std::uint64_t* goes_left, std::size_t n,
                    std::byte* left, std::byte* right);
};

// The table for this machine.
const Kernels& kernels();

extern const Kernels kBaselineKernels;

}  // namespace plboost
