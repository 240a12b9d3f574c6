#pragma once

#include "core/kernels/kernels.hpp"

namespace plboost::generic {

// An instruction set is a type `Isa` with a vector of eight float32: Isa::Lanes, load, store, add.
// Everything here is a template over it, so that no two targets ever share a symbol.

template <typename Isa>
void fill_statistics(const RowStatistics& rows, std::size_t begin, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = begin + i;
    const float z = rows.z[row];
    const float hz = rows.h[row] * z;
    float* lanes = out + i * kLanes;
    lanes[kG] = rows.g[row];
    lanes[kH] = rows.h[row];
    lanes[kGZ] = rows.g[row] * z;
    lanes[kHZ] = hz;
    lanes[kHZZ] = hz * z;
    lanes[kW] = rows.w[row];
    lanes[6] = 0.0F;
    lanes[7] = 0.0F;
  }
}

// Paper Algorithm 3, four features at a time: their four histograms (32 KB) stay in the first-level
// cache.
template <typename Isa>
void update_histogram(const std::uint32_t* codes, const float* statistics, std::size_t n,
                      float* histogram) {
  for (std::size_t i = 0; i < n; ++i) {
    const typename Isa::Lanes row = Isa::load(statistics + i * kLanes);
    const std::uint32_t word = codes[i];
    for (std::size_t f = 0; f < kGroupFeatures; ++f) {
      const std::size_t code = (word >> (8 * f)) & 0xffU;
      float* bin = histogram + (f * kCodesPerFeature + code) * kLanes;
      Isa::store(bin, Isa::add(Isa::load(bin), row));
    }
  }
}

}  // namespace plboost::generic
