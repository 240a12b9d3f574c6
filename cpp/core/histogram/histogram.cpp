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

HistogramBuilder::HistogramBuilder(std::span<const SlotCodes> slots)
    : slots_(slots), statistics_(kExpandedRows * kLanes), codes_(kExpandedRows) {}

template <typename Each>
void HistogramBuilder::for_each_slot(GroupRange groups, std::size_t n_panels,
                                     std::span<const BinView> views, Each&& each) const {
  std::size_t place = 0;
  for (std::size_t group = groups.first; group < groups.last; ++group) {
    for (std::size_t panel = 0; panel < n_panels; ++panel, place += kGroupFloats) {
      for (std::size_t i = 0; i < slots_of(group); ++i) {
        const std::size_t slot = group * kGroupSlots + i;
        const std::size_t n_codes = views.empty() ? slots_[slot].n_codes : views[slot].n + 1U;
        each(place + i * kSlotFloats, n_codes * kLanes);
      }
    }
  }
}

std::size_t HistogramBuilder::slots_of(std::size_t group) const {
  return std::min(kGroupSlots, slots_.size() - group * kGroupSlots);
}

void HistogramBuilder::choose_views(const HistogramRows& rows, GroupRange groups,
                                    const JoinRule& rule, std::vector<BinView>& views) const {
  views.resize(slots_.size());
  for (std::size_t group = groups.first; group < groups.last; ++group) {
    const CodeRange range = kernels().code_range(rows.codes + group * rows.group_stride, rows.n,
                                                 join_of(group, {}).missing);
    for (std::size_t i = 0; i < slots_of(group); ++i) {
      const SlotCodes& slot = slots_[group * kGroupSlots + i];
      BinView& view = views[group * kGroupSlots + i];
      const auto low = static_cast<std::uint8_t>(range.low >> (8 * i));
      const auto high = static_cast<std::uint8_t>(range.high >> (8 * i));
      view = {.n = static_cast<std::uint8_t>(slot.n_codes - 1)};
      if (slot.n_bins == 0) continue;
      view.n = 0;
      if (low > high) continue;  // all are missing
      const unsigned level = rule.level(std::size_t{high} - low + 1, slot.highest_level);
      view.level = static_cast<std::uint8_t>(level);
      view.first = static_cast<std::uint8_t>(low >> level);
      view.n = static_cast<std::uint8_t>((high >> level) - view.first + 1);
    }
  }
}

CodeJoin HistogramBuilder::join_of(std::size_t group, std::span<const BinView> views) const {
  CodeJoin join{};
  for (std::size_t i = 0; i < slots_of(group); ++i) {
    const std::size_t slot = group * kGroupSlots + i;
    if (slots_[slot].n_bins == 0) continue;
    const auto byte = [i](std::size_t value) {
      return static_cast<std::uint32_t>(value) << (8 * i);
    };
    join.missing |= byte(slots_[slot].n_bins);
    if (views.empty()) continue;
    const BinView& view = views[slot];
    join.joined_missing |= byte(view.n);
    join.first |= byte(view.first);
    if (view.level % 2 == 1) join.once |= byte(0xff);
    if (view.level / 2 == 1) join.twice |= byte(0xff);
  }
  return join;
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

void HistogramBuilder::build(const HistogramRows& rows, GroupRange groups,
                             std::span<const BinView> views, float* histogram) {
  const std::size_t n = rows.n;
  const std::size_t n_panels = std::max<std::size_t>(1, rows.products.size());
  const std::size_t panel_floats = kExpandedRows * kLanes;
  if (statistics_.size() < n_panels * panel_floats) {
    statistics_ = AlignedBuffer<float>(n_panels * panel_floats);
  }
  const bool many = n > kBlockRows;
  if (many) sums_.assign((groups.last - groups.first) * n_panels * kGroupFloats, 0.0);
  for_each_slot(groups, n_panels, views, [&](std::size_t place, std::size_t size) {
    std::fill_n(histogram + place, size, 0.0F);
  });
  for (std::size_t block = 0; block < n; block += kBlockRows) {
    const std::size_t block_end = std::min(block + kBlockRows, n);
    for (std::size_t begin = block; begin < block_end; begin += kExpandedRows) {
      const std::size_t count = std::min(kExpandedRows, block_end - begin);
      fill(rows, begin, count);
      float* to = histogram;
      for (std::size_t group = groups.first; group < groups.last; ++group) {
        const std::uint32_t* codes = rows.codes + group * rows.group_stride + begin;
        if (!views.empty()) {
          kernels().join_codes(codes, count, join_of(group, views), codes_.data());
          codes = codes_.data();
        }
        for (std::size_t panel = 0; panel < n_panels; ++panel, to += kGroupFloats) {
          kernels().update_histogram(codes, statistics_.data() + panel * panel_floats, count,
                                     slots_of(group), to);
        }
      }
    }
    if (!many) continue;
    for_each_slot(groups, n_panels, views, [&](std::size_t place, std::size_t size) {
      for (std::size_t i = place; i < place + size; ++i) {
        sums_[i] += static_cast<double>(histogram[i]);
        histogram[i] = block_end == n ? static_cast<float>(sums_[i]) : 0.0F;
      }
    });
  }
}

void HistogramBuilder::subtract(GroupRange groups, const float* smaller,
                                float* parent_then_larger) const {
  for_each_slot(groups, 1, {}, [&](std::size_t place, std::size_t size) {
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
