#include "core/histogram/group_histogram.hpp"

#include <algorithm>

namespace plboost {
namespace {

// Rows between two transfers from float32 to float64: long enough to hide the transfer, short
// enough that a bin which takes every row keeps five digits.
constexpr std::size_t kBlockRows = 16384;
// Rows whose statistics are expanded at once: 16 KB, beside 32 KB of histogram in the first-level
// cache.
constexpr std::size_t kExpandedRows = 512;

constexpr std::size_t kFeatureFloats = kCodesPerFeature * kLanes;

}  // namespace

GroupHistogram::GroupHistogram()
    : statistics_(kExpandedRows * kLanes),
      block_(kGroupFeatures * kFeatureFloats),
      sums_(kGroupFeatures * kCodesPerFeature) {}

void GroupHistogram::build(const std::uint32_t* codes, const RowStatistics& rows, std::size_t n,
                           const std::array<int, kGroupFeatures>& n_codes) {
  for (std::size_t f = 0; f < kGroupFeatures; ++f) {
    std::fill_n(sums_.begin() + static_cast<std::ptrdiff_t>(f * kCodesPerFeature), n_codes[f],
                BinStatistics{});
  }
  // An unused place has code 0 in every row: its first bin is summed and never read.
  std::fill_n(block_.data(), block_.size(), 0.0F);
  for (std::size_t block = 0; block < n; block += kBlockRows) {
    const std::size_t block_end = std::min(block + kBlockRows, n);
    for (std::size_t begin = block; begin < block_end; begin += kExpandedRows) {
      const std::size_t count = std::min(kExpandedRows, block_end - begin);
      kernels().fill_statistics(rows, begin, count, statistics_.data());
      kernels().update_histogram(codes + begin, statistics_.data(), count, block_.data());
    }
    for (std::size_t f = 0; f < kGroupFeatures; ++f) {
      float* from = block_.data() + f * kFeatureFloats;
      BinStatistics* to = sums_.data() + f * kCodesPerFeature;
      for (int code = 0; code < n_codes[f]; ++code, ++to, from += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          (*to)[lane] += static_cast<double>(from[lane]);
          from[lane] = 0.0F;
        }
      }
    }
  }
}

}  // namespace plboost
