#include "core/histogram/histogram.hpp"

#include <algorithm>

namespace plboost {
namespace {

// Rows between two transfers from float32 to float64: long enough to hide the transfer, short
// enough that a bin which takes every row keeps five digits.
constexpr std::size_t kBlockRows = 16384;
// Rows whose statistics are expanded at once: they serve every group before the next ones come.
constexpr std::size_t kExpandedRows = 1024;

}  // namespace

HistogramBuilder::HistogramBuilder(std::span<const std::size_t> n_codes)
    : n_codes_(n_codes), statistics_(kExpandedRows * kLanes) {}

template <typename Each>
void HistogramBuilder::for_each_slot(GroupRange groups, Each&& each) const {
  const std::size_t last = std::min(groups.last * kGroupSlots, n_codes_.size());
  for (std::size_t slot = groups.first * kGroupSlots; slot < last; ++slot) {
    each(slot, n_codes_[slot] * kLanes);
  }
}

void HistogramBuilder::build(const HistogramRows& rows, GroupRange groups, float* histogram) {
  const std::size_t n = rows.n;
  const bool many = n > kBlockRows;
  if (many) sums_.assign((groups.last - groups.first) * kGroupFloats, 0.0);
  const std::size_t first_slot = groups.first * kGroupSlots;
  for_each_slot(groups, [&](std::size_t slot, std::size_t size) {
    std::fill_n(histogram + slot * kSlotFloats, size, 0.0F);
  });
  for (std::size_t block = 0; block < n; block += kBlockRows) {
    const std::size_t block_end = std::min(block + kBlockRows, n);
    for (std::size_t begin = block; begin < block_end; begin += kExpandedRows) {
      const std::size_t count = std::min(kExpandedRows, block_end - begin);
      kernels().fill_statistics(rows.statistics, begin, count, statistics_.data());
      for (std::size_t group = groups.first; group < groups.last; ++group) {
        const std::size_t n_slots = std::min(kGroupSlots, n_codes_.size() - group * kGroupSlots);
        kernels().update_histogram(rows.codes + group * rows.group_stride + begin,
                                   statistics_.data(), count, n_slots,
                                   histogram + group * kGroupFloats);
      }
    }
    if (!many) continue;
    for_each_slot(groups, [&](std::size_t slot, std::size_t size) {
      float* from = histogram + slot * kSlotFloats;
      double* to = sums_.data() + (slot - first_slot) * kSlotFloats;
      for (std::size_t i = 0; i < size; ++i) {
        to[i] += static_cast<double>(from[i]);
        from[i] = 0.0F;
      }
    });
  }
  if (!many) return;
  for_each_slot(groups, [&](std::size_t slot, std::size_t size) {
    const double* from = sums_.data() + (slot - first_slot) * kSlotFloats;
    float* to = histogram + slot * kSlotFloats;
    for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<float>(from[i]);
  });
}

void HistogramBuilder::subtract(GroupRange groups, const float* smaller,
                                float* parent_then_larger) const {
  for_each_slot(groups, [&](std::size_t slot, std::size_t size) {
    const float* from = smaller + slot * kSlotFloats;
    float* to = parent_then_larger + slot * kSlotFloats;
    for (std::size_t bin = 0; bin < size; bin += kLanes) {
      for (std::size_t i = 0; i < kLanes; ++i) to[bin + i] -= from[bin + i];
      // What is left of a bin without rows is rounding.
      if (to[bin + kN] == 0.0F) std::fill_n(to + bin, kLanes, 0.0F);
    }
  });
}

void marginalise_histogram(const float* joint, std::size_t n_codes, const std::uint8_t* bin_of_code,
                           std::size_t n_bins, float* bins) {
  std::fill_n(bins, n_bins * kLanes, 0.0F);
  for (std::size_t code = 0; code < n_codes; ++code) {
    float* bin = bins + bin_of_code[code] * kLanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) bin[lane] += joint[code * kLanes + lane];
  }
}

}  // namespace plboost
