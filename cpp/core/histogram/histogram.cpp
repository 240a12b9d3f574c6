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
void HistogramBuilder::for_each_slot(GroupRange groups, std::size_t n_panels, Each&& each) const {
  std::size_t place = 0;
  for (std::size_t group = groups.first; group < groups.last; ++group) {
    for (std::size_t panel = 0; panel < n_panels; ++panel, place += kGroupFloats) {
      for (std::size_t slot = 0; slot < slots_of(group); ++slot) {
        each(place + slot * kSlotFloats, n_codes_[group * kGroupSlots + slot] * kLanes);
      }
    }
  }
}

std::size_t HistogramBuilder::slots_of(std::size_t group) const {
  return std::min(kGroupSlots, n_codes_.size() - group * kGroupSlots);
}

void HistogramBuilder::fill(const HistogramRows& rows, std::size_t begin, std::size_t n) {
  if (rows.products.empty()) {
    kernels().fill_statistics(rows.statistics, begin, n, statistics_.data());
  }
  for (std::size_t panel = 0; panel < rows.products.size(); ++panel) {
    kernels().fill_products(rows.products[panel], begin, n,
                            statistics_.data() + panel * kExpandedRows * kLanes);
  }
}

void HistogramBuilder::build(const HistogramRows& rows, GroupRange groups, float* histogram) {
  const std::size_t n = rows.n;
  const std::size_t n_panels = std::max<std::size_t>(1, rows.products.size());
  const std::size_t panel_floats = kExpandedRows * kLanes;
  if (statistics_.size() < n_panels * panel_floats) {
    statistics_ = AlignedBuffer<float>(n_panels * panel_floats);
  }
  const bool many = n > kBlockRows;
  if (many) sums_.assign((groups.last - groups.first) * n_panels * kGroupFloats, 0.0);
  for_each_slot(groups, n_panels, [&](std::size_t place, std::size_t size) {
    std::fill_n(histogram + place, size, 0.0F);
  });
  for (std::size_t block = 0; block < n; block += kBlockRows) {
    const std::size_t block_end = std::min(block + kBlockRows, n);
    for (std::size_t begin = block; begin < block_end; begin += kExpandedRows) {
      const std::size_t count = std::min(kExpandedRows, block_end - begin);
      fill(rows, begin, count);
      float* to = histogram;
      for (std::size_t group = groups.first; group < groups.last; ++group) {
        for (std::size_t panel = 0; panel < n_panels; ++panel, to += kGroupFloats) {
          kernels().update_histogram(rows.codes + group * rows.group_stride + begin,
                                     statistics_.data() + panel * panel_floats, count,
                                     slots_of(group), to);
        }
      }
    }
    if (!many) continue;
    for_each_slot(groups, n_panels, [&](std::size_t place, std::size_t size) {
      for (std::size_t i = place; i < place + size; ++i) {
        sums_[i] += static_cast<double>(histogram[i]);
        histogram[i] = block_end == n ? static_cast<float>(sums_[i]) : 0.0F;
      }
    });
  }
}

void HistogramBuilder::subtract(GroupRange groups, const float* smaller,
                                float* parent_then_larger) const {
  for_each_slot(groups, 1, [&](std::size_t place, std::size_t size) {
    const float* from = smaller + groups.first * kGroupFloats + place;
    float* to = parent_then_larger + groups.first * kGroupFloats + place;
    for (std::size_t bin = 0; bin < size; bin += kLanes) {
      for (std::size_t i = 0; i < kLanes; ++i) to[bin + i] -= from[bin + i];
      // What is left of a bin without rows is rounding.
      if (to[bin + kN] == 0.0F) std::fill_n(to + bin, kLanes, 0.0F);
    }
  });
}

void find_occupied(const float* joint, std::size_t n_codes, std::size_t lane,
                   std::vector<std::uint8_t>& occupied) {
  occupied.resize(n_codes);
  std::size_t n = 0;
  for (std::size_t code = 0; code < n_codes; ++code) {
    occupied[n] = static_cast<std::uint8_t>(code);
    n += joint[code * kLanes + lane] > 0.0F ? 1 : 0;
  }
  occupied.resize(n);
}

void marginalise_histogram(const float* joint, std::span<const std::uint8_t> occupied,
                           const std::uint8_t* bin_of_code, std::size_t n_bins, float* bins) {
  std::fill_n(bins, n_bins * kLanes, 0.0F);
  for (const std::size_t code : occupied) {
    float* __restrict__ bin = bins + bin_of_code[code] * kLanes;
    const float* __restrict__ from = joint + code * kLanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) bin[lane] += from[lane];
  }
}

}  // namespace plboost
