#pragma once

#include <algorithm>

namespace plboost {

// What rows say of outputs f that owe nothing to them: the sum of -g f and that of h f^2. Outputs
// that are all signal have a ratio of 1, those that are all noise of 0.
struct Confirmation {
  double agreement = 0.0;
  double size = 0.0;

  // The ratio, within limits that it may not leave. There must be a size.
  double part(double least) const { return std::clamp(agreement / size, least, 1.0); }

  Confirmation& operator+=(const Confirmation& other) {
    agreement += other.agreement;
    size += other.size;
    return *this;
  }
};

}  // namespace plboost
