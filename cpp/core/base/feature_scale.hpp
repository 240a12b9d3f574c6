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
  bool clips = true;  // values beyond them count as them; else infinities alone do

  bool operator==(const FeatureScale&) const = default;

  // What leaves see. Missing is the mean, and nothing is so large that sums over leaves could
  // overflow.
  double standardise(double value) const {
    if (std::isnan(value)) return 0.0;
    if (clips || std::isinf(value)) value = std::clamp(value, low, high);
    return std::clamp((value - mean) / scale, -1e15, 1e15);
  }
};

}  // namespace plboost
