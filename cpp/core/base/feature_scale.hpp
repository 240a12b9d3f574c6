#pragma once

#include <algorithm>
#include <cmath>

namespace plboost {

// Where a feature's values lay in the training data.
struct FeatureScale {
  double mean = 0.0;
  double scale = 1.0;
  double low = 0.0;  // smallest and largest finite value
  double high = 0.0;

  bool operator==(const FeatureScale&) const = default;

  // What leaves see. Missing is the mean; infinities are the end of what was seen; and nothing is
  // so large that sums over leaves could overflow.
  double standardise(double value) const {
    if (std::isnan(value)) return 0.0;
    if (std::isinf(value)) value = value > 0.0 ? high : low;
    return std::clamp((value - mean) / scale, -1e15, 1e15);
  }
};

}  // namespace plboost
