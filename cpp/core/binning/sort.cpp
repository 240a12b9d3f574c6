#include "core/binning/sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace plboost {
namespace {

constexpr std::size_t kSmall = 2048;  // std::sort wins below
constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr int kPasses = 6;  // 6 * 11 bits cover 64

// An integer that sorts as the number does; both zeros are one value.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);
  return bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
}

double value_of(std::uint64_t key) {
  return std::bit_cast<double>(key >> 63 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

}  // namespace

void sort_values(std::vector<double>& values) {
  if (values.size() < kSmall) {
    std::sort(values.begin(), values.end());
    return;
  }
  // Least significant digit first: six passes over memory, where comparing needs about twenty.
  std::vector<std::uint64_t> keys(values.size());
  std::vector<std::uint64_t> other(values.size());
  std::vector<std::array<std::size_t, kDigits>> counts(kPasses);
  const auto digit = [](std::uint64_t key, int pass) {
    return (key >> (pass * kDigitBits)) & (kDigits - 1);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    keys[i] = key_of(values[i]);
    for (int pass = 0; pass < kPasses; ++pass) ++counts[pass][digit(keys[i], pass)];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    std::array<std::size_t, kDigits>& starts = counts[pass];
    if (starts[digit(keys[0], pass)] == keys.size()) continue;  // all alike
    std::size_t start = 0;
    for (std::size_t& count : starts) {
      const std::size_t next = start + count;
      count = start;
      start = next;
    }
    for (const std::uint64_t key : keys) other[starts[digit(key, pass)]++] = key;
    keys.swap(other);
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(keys[i]);
}

}  // namespace plboost
