#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace plboost {

// A set of codes 0 .. 255: which categories of a feature go left at a split.
class CategorySet {
 public:
  static constexpr std::size_t kCodes = 256;
  static constexpr std::size_t kBytes = kCodes / 8;

  bool has(std::size_t code) const { return (bytes_[code / 8] >> (code % 8) & 1U) != 0; }
  void add(std::size_t code) {
    bytes_[code / 8] = static_cast<std::uint8_t>(bytes_[code / 8] | 1U << (code % 8));
  }
  void fill() { bytes_.fill(0xff); }
  void remove(std::size_t code) {
    bytes_[code / 8] = static_cast<std::uint8_t>(bytes_[code / 8] & ~(1U << (code % 8)));
  }

  // Code c is bit c % 8 of byte c / 8.
  std::array<std::uint8_t, kBytes>& bytes() { return bytes_; }
  const std::array<std::uint8_t, kBytes>& bytes() const { return bytes_; }

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

}  // namespace plboost
