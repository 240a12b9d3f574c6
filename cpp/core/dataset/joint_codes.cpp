#include "core/dataset/joint_codes.hpp"

#include <algorithm>

namespace plboost {

bool JointCodes::add(std::span<const std::uint8_t> bins, PairTable& pairs) {
  // Which pairs (code so far, bin) occur; most features that do not fit show it on the first rows.
  std::array<std::size_t, kCodes + 1> found;
  std::size_t n_pairs = 0;
  for (std::size_t row = 0; row < bins.size() && n_pairs <= kCodes; ++row) {
    const std::size_t pair = codes_[row] * kCodes + bins[row];
    if (pairs[pair]) continue;
    pairs[pair] = 1;
    found[n_pairs++] = pair;
  }
  const std::span<std::size_t> occurring(found.data(), n_pairs);
  const bool fits = n_pairs <= kCodes;
  if (fits) join(bins, occurring, pairs);
  for (const std::size_t pair : occurring) pairs[pair] = 0;
  return fits;
}

void JointCodes::join(std::span<const std::uint8_t> bins, std::span<std::size_t> occurring,
                      PairTable& pairs) {
  // Numbered in the order of the pairs, not of the rows: the same data in any order has the same
  // codes.
  std::sort(occurring.begin(), occurring.end());
  std::array<std::uint8_t, kCodes> old_code{};
  std::array<std::uint8_t, kCodes> bin{};
  const std::size_t next = occurring.size();
  for (std::size_t code = 0; code < next; ++code) {
    old_code[code] = static_cast<std::uint8_t>(occurring[code] / kCodes);
    bin[code] = static_cast<std::uint8_t>(occurring[code] % kCodes);
    pairs[occurring[code]] = static_cast<std::uint16_t>(code);
  }
  for (std::array<std::uint8_t, kCodes>& other : bins_) {
    const std::array<std::uint8_t, kCodes> before = other;
    for (std::size_t code = 0; code < next; ++code) other[code] = before[old_code[code]];
  }
  bins_.push_back(bin);
  for (std::size_t row = 0; row < bins.size(); ++row) {
    codes_[row] = static_cast<std::uint8_t>(pairs[codes_[row] * kCodes + bins[row]]);
  }
  n_codes_ = next;
}

}  // namespace plboost
