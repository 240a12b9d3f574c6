#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/feature_scale.hpp"

namespace plboost {

struct BinningOptions {
  int max_bins = 255;  // 2 .. 255: codes are bytes, and one is kept for missing values
  // Larger data sets are binned by this many rows of their random order.
  std::size_t sample_rows = std::size_t{1} << 18;
  // Of every feature, where the units are those of a model to continue. Empty: from the values.
  std::vector<FeatureScale> scales;
  // Of every feature, 0 for a numeric one. Empty: all are.
  std::vector<std::int32_t> n_categories;
};

// How one feature's values become codes, and what a code stands for as a regressor.
struct FeatureBins {
  std::vector<double> edges;  // a value has the code "number of edges below it"
  std::vector<double> means;  // weighted mean of the finite values of each bin
  std::vector<float> values;  // standardised bin means; behind them the missing value's 0
  double mean = 0.0;          // of the bin means
  double scale = 1.0;         // standard deviation of the bin means
  double low = 0.0;           // smallest and largest finite value
  double high = 0.0;
  bool has_missing = false;
  bool is_categorical = false;  // bins are categories, in no order

  int n_bins() const { return static_cast<int>(means.size()); }
  int missing_code() const { return n_bins(); }
  int n_codes() const { return n_bins() + 1; }
  // Something to split on.
  bool usable() const { return n_bins() >= 2 || (n_bins() == 1 && has_missing); }
  // Something to draw a line along.
  bool can_regress() const { return n_bins() >= 2 && !is_categorical; }

  std::uint8_t code(double value) const;

  FeatureScale feature_scale() const {
    return {.mean = mean, .scale = scale, .low = low, .high = high};
  }
  // Standardised, of the bins that are left when neighbouring ones are joined.
  std::vector<float> joined_values(unsigned level) const;
  // The highest level that they may be joined at: the values of the middle must tell nearly as much
  // as those of all. Long tails have none.
  unsigned highest_level() const;
  // Takes the units of a model in place of those of the values.
  void set_feature_scale(const FeatureScale& given);

  // Calls put(i, code of column[i]) for every value. All searches take the same eight steps, so
  // that the processor works on several at once.
  template <typename Put>
  void encode(std::span<const double> column, Put&& put) const {
    std::array<double, 256> padded;
    padded.fill(std::numeric_limits<double>::infinity());
    std::copy(edges.begin(), edges.end(), padded.begin());
    for (std::size_t i = 0; i < column.size(); ++i) {
      std::size_t n_below = 0;
      for (std::size_t step = 128; step > 0; step /= 2) {
        // A product, not a choice: the compiler must not make a branch of it.
        n_below += step * static_cast<std::size_t>(padded[n_below + step - 1] < column[i]);
      }
      const bool is_missing = column[i] != column[i];
      put(i, static_cast<std::uint8_t>(is_missing ? static_cast<std::size_t>(missing_code())
                                                  : n_below));
    }
  }
};

// `weights` may be empty: every row weighs 1. No weight is zero.
FeatureBins find_bins(std::span<const double> values, std::span<const double> weights,
                      const BinningOptions& options);

// The bins of a categorical feature, whose values are the codes 0 .. n_categories - 1 of its
// categories, or missing: every category is a bin. Throws InvalidInput for any other value.
FeatureBins category_bins(std::span<const double> values, std::size_t n_categories);

}  // namespace plboost
