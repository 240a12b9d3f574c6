#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace plboost {

// SplitMix64: one multiplication chain a number, any seed is good. The standard library's
// distributions differ between platforms; a model must not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // A generator made from it goes on with the same numbers.
  std::uint64_t state() const { return state_; }

  std::uint64_t next() {
    std::uint64_t x = (state_ += 0x9e3779b97f4a7c15ULL);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  // Uniform in [0, bound) up to a bias of bound / 2^32, nothing for an order of rows.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace plboost
