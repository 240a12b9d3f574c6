#include "core/dataset/joint_codes.hpp"

namespace plboost {

bool JointCodes::add(std::span<const std::uint8_t> bins) {
  // Which pairs (code so far, bin) occur; most features that do not fit show it on the first rows.
  std::vector<std::uint16_t> pair_code(kCodes * kCodes, 0);
  std::size_t n_pairs = 0;
  for (std::size_t row = 0; row < bins.size(); ++row) {
    std::uint16_t& seen = pair_code[codes_[row] * kCodes + bins[row]];
    if (seen) continue;
    seen = 1;
    if (++n_pairs > kCodes) return false;
  }
  // Numbered in the order of the pairs, not of the rows: the same data in any order has the same
  // codes.
  std::array<std::uint8_t, kCodes> old_code{};
  std::array<std::uint8_t, kCodes> bin{};
  std::size_t next = 0;
  for (std::size_t pair = 0; pair < pair_code.size(); ++pair) {
    if (!pair_code[pair]) continue;
    old_code[next] = static_cast<std::uint8_t>(pair / kCodes);
    bin[next] = static_cast<std::uint8_t>(pair % kCodes);
    pair_code[pair] = static_cast<std::uint16_t>(next++);
  }
  for (std::array<std::uint8_t, kCodes>& other : bins_) {
    const std::array<std::uint8_t, kCodes> before = other;
    for (std::size_t code = 0; code < next; ++code) other[code] = before[old_code[code]];
  }
  bins_.push_back(bin);
  for (std::size_t row = 0; row < bins.size(); ++row) {
    codes_[row] = static_cast<std::uint8_t>(pair_code[codes_[row] * kCodes + bins[row]]);
  }
  n_codes_ = next;
  return true;
}

}  // namespace plboost
