#pragma once

#include <cstddef>
#include <span>

#include "core/base/bin_view.hpp"
#include "core/binning/feature_bins.hpp"
#include "core/dataset/dataset.hpp"

namespace plboost {

// A feature as the scan of a node sees it: some of its bins, in order, and behind them the missing
// value's.
struct ScannedFeature {
  std::size_t feature;            // its place among the data set's usable ones
  const FeatureBins* bins;        // all of them, as they are
  std::span<const float> values;  // standardised, of those to be scanned

  int n_bins() const { return static_cast<int>(values.size()); }
  double value(int code) const {
    return code == n_bins() ? 0.0 : static_cast<double>(values[static_cast<std::size_t>(code)]);
  }
};

// With all its bins.
inline ScannedFeature whole(std::size_t feature, const FeatureBins& bins) {
  return {feature, &bins, std::span(bins.values).first(bins.means.size())};
}

// As a node sees it.
inline ScannedFeature seen(std::size_t place, const CodedFeature& feature, const BinView& view) {
  const std::span<const float> values = feature.joined_values[view.level];
  return {place, feature.bins, values.subspan(view.first, view.n)};
}

}  // namespace plboost
