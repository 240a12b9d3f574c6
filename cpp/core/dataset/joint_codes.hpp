#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/kernels/kernels.hpp"

namespace plboost {

// One code for several features of few values: a code for every combination of their bins that
// occurs. One-hot columns exclude each other, so dozens of them need a few dozen codes (what others
// call exclusive bundles); columns of 2 to 5 values share a code by the handful (product codes).
// One histogram update then serves them all, and each feature's own histogram is a marginal of the
// joint one: nothing is approximated.
class JointCodes {
 public:
  // Every row has code 0: nothing has joined yet.
  explicit JointCodes(std::size_t n_rows) : codes_(n_rows, 0) {}

  // Scratch for a number by pair of (code, bin); all 0 between two calls.
  using PairTable = std::vector<std::uint16_t>;
  static PairTable pair_table() { return PairTable(kCodes * kCodes, 0); }

  // Lets a feature join, given its bin in every row, unless that takes more than 256 codes. Returns
  // whether it did.
  bool add(std::span<const std::uint8_t> bins, PairTable& pairs);

  std::size_t n_codes() const { return n_codes_; }
  std::span<const std::uint8_t> codes() const { return codes_; }
  // By code, of the feature that joined k-th.
  const std::array<std::uint8_t, kCodes>& bin_of_code(std::size_t k) const { return bins_[k]; }

 private:
  void join(std::span<const std::uint8_t> bins, std::span<std::size_t> occurring, PairTable& pairs);

  std::vector<std::uint8_t> codes_;
  std::size_t n_codes_ = 1;
  std::vector<std::array<std::uint8_t, kCodes>> bins_;
};

}  // namespace plboost
