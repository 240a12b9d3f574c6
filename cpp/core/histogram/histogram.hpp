#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned_buffer.hpp"
#include "core/base/bin_view.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost {

// The rows of a node as histograms read them.
struct HistogramRows {
  RowStatistics statistics;
  std::size_t n = 0;
  const std::uint32_t* codes = nullptr;  // words of group 0 ...
  std::size_t group_stride = 0;          // ... and how far the next group's are
  // If there are any, the rows' statistics are these, in panels of eight lanes.
  std::span<const ProductLanes> products = {};
};

// The codes of a slot: n_codes of them. `n_bins` is that of its feature, the missing value's code
// behind them, if nodes may see a part of them; 0 if not.
struct SlotCodes {
  std::size_t n_codes = 0;
  std::size_t n_bins = 0;
  unsigned highest_level = 0;  // that bins may be joined at
};

// Groups [first, last).
struct GroupRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Sums rows into bins: float32 within a block of rows, float64 across blocks, rounded to float32 at
// the end. A node's histogram is [slot][code][lane], of products [group][panel][slot of the
// group][code][lane]; only the codes that a slot has are cleared and written. Holds memory; one per
// worker.
class HistogramBuilder {
 public:
  // Of every slot.
  explicit HistogramBuilder(std::span<const SlotCodes> slots);

  // How these rows see the bins of each slot, from the first slot of the data set on; those outside
  // the groups are left alone.
  void choose_views(const HistogramRows& rows, GroupRange groups, const JoinRule& rule,
                    std::vector<BinView>& views) const;

  // histogram: from the first group of the range on. No views: all bins, as they are.
  void build(const HistogramRows& rows, GroupRange groups, std::span<const BinView> views,
             float* histogram);

  // larger = parent - smaller, in place of the parent. Exact up to rounding when neither child has
  // a new z.
  void subtract(GroupRange groups, const float* smaller, float* parent_then_larger) const;

 private:
  // each(place, size): where the histogram of a slot lies from the first group on, and how many
  // floats of it are used.
  template <typename Each>
  void for_each_slot(GroupRange groups, std::size_t n_panels, std::span<const BinView> views,
                     Each&& each) const;
  std::size_t slots_of(std::size_t group) const;
  CodeJoin join_of(std::size_t group, std::span<const BinView> views) const;
  void fill(const HistogramRows& rows, std::size_t begin, std::size_t n);

  std::span<const SlotCodes> slots_;
  AlignedBuffer<float> statistics_;     // [panel][row][lane] of some rows
  AlignedBuffer<std::uint32_t> codes_;  // of one group of these rows, joined
  std::vector<double> sums_;
};

// The codes of a slot that hold rows, in a small node few of all: those where this lane is above 0.
void find_occupied(const float* joint, std::size_t n_codes, std::size_t lane,
                   std::vector<std::uint8_t>& occupied);

// The histogram of one of the features that share a slot: bins[bin_of_code[code]] += joint[code].
void marginalise_histogram(const float* joint, std::span<const std::uint8_t> occupied,
                           const std::uint8_t* bin_of_code, std::size_t n_bins, float* bins);

}  // namespace plboost
