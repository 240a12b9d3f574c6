#pragma once

#include <array>
#include <cstddef>

#include "core/kernels/kernels.hpp"

namespace plboost {

// The sums of a child (or bin) with two columns: z, the path's linear part, and x, the candidate
// feature's bin means, both around the means of the node that is being split.
class ChildSums {
 public:
  double w() const { return sums_[0]; }
  double g() const { return sums_[1]; }
  double h() const { return sums_[2]; }
  double gz() const { return sums_[3]; }
  double hz() const { return sums_[4]; }
  double hzz() const { return sums_[5]; }
  double gx() const { return sums_[6]; }
  double hx() const { return sums_[7]; }
  double hxx() const { return sums_[8]; }
  double hxz() const { return sums_[9]; }

  ChildSums() = default;
  // A bin: x is the same in all its rows, so everything with x follows from the sums without (paper
  // appendix A).
  ChildSums(double w, double g, double h, double gz, double hz, double hzz, double x)
      : sums_{w, g, h, gz, hz, hzz, x * g, x * h, x * x * h, x * hz} {}

  explicit ChildSums(const ScanSums& s)
      : sums_{s.w, s.g, s.h, s.gz, s.hz, s.hzz, s.gx, s.hx, s.hxx, s.hxz} {}

  ChildSums& operator+=(const ChildSums& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
    return *this;
  }
  ChildSums& operator-=(const ChildSums& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] -= other.sums_[i];
    return *this;
  }

 private:
  std::array<double, 10> sums_{};
};

}  // namespace plboost
