#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned_buffer.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost {

// The sums of one bin over the rows of a node, by Lane.
using BinStatistics = std::array<double, kLanes>;

// Memory for building the histograms of a group's four features; one per worker.
class GroupHistogram {
 public:
  GroupHistogram();

  // Sums `rows` (n of them, in leaf order) into bins: float32 within a block of rows, float64
  // across blocks. Only the first n_codes[f] codes of feature f occur; 0 marks an unused place in
  // the group.
  void build(const std::uint32_t* codes, const RowStatistics& rows, std::size_t n,
             const std::array<int, kGroupFeatures>& n_codes);

  std::span<const BinStatistics> feature(std::size_t f) const {
    return std::span(sums_).subspan(f * kCodesPerFeature, kCodesPerFeature);
  }

 private:
  AlignedBuffer<float> statistics_;
  AlignedBuffer<float> block_;
  std::vector<BinStatistics> sums_;
};

}  // namespace plboost
