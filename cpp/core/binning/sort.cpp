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

// An integer that sorts as the number does.
template <typename Key, typename Value>
Key key_of(Value value) {
  constexpr int kSign = 8 * sizeof(Key) - 1;
  const auto bits = std::bit_cast<Key>(value);
  return bits >> kSign ? ~bits : bits | (Key{1} << kSign);
}

template <typename Key, typename Value>
Value value_of(Key key) {
  constexpr int kSign = 8 * sizeof(Key) - 1;
  return std::bit_cast<Value>(key >> kSign ? key & ~(Key{1} << kSign) : ~key);
}

// Least significant digit first: a few passes over memory, where comparing needs about twenty.
template <typename Key, typename Value>
void radix_sort(std::vector<double>& values) {
  constexpr int kPasses = (8 * sizeof(Key) + kDigitBits - 1) / kDigitBits;
  std::vector<Key> keys(values.size());
  std::vector<Key> other(values.size());
  std::vector<std::array<std::uint32_t, kDigits>> counts(kPasses);
  const auto digit = [](Key key, int pass) {
    return static_cast<std::size_t>(key >> (pass * kDigitBits)) & (kDigits - 1);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Both zeros are one value.
    keys[i] = key_of<Key>(static_cast<Value>(values[i] == 0.0 ? 0.0 : values[i]));
    for (int pass = 0; pass < kPasses; ++pass) ++counts[pass][digit(keys[i], pass)];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    std::array<std::uint32_t, kDigits>& starts = counts[pass];
    if (starts[digit(keys[0], pass)] == keys.size()) continue;  // all alike
    std::uint32_t start = 0;
    for (std::uint32_t& count : starts) {
      const std::uint32_t next = start + count;
      count = start;
      start = next;
    }
    for (const Key key : keys) other[starts[digit(key, pass)]++] = key;
    keys.swap(other);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(value_of<Key, Value>(keys[i]));
  }
}

}  // namespace

void sort_values(std::vector<double>& values) {
  const auto is_float32 = [](double value) {
    return static_cast<double>(static_cast<float>(value)) == value;
  };
  if (values.size() < kSmall) {
    std::sort(values.begin(), values.end());
  } else if (std::all_of(values.begin(), values.end(), is_float32)) {
    radix_sort<std::uint32_t, float>(values);
  } else {
    radix_sort<std::uint64_t, double>(values);
  }
}

}  // namespace plboost
