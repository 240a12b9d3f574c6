#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace plboost {

// A number that tells contents apart. Against accidents, not against forgery.
class Fingerprint {
 public:
  // The length counts too, so that neighbours cannot trade items.
  template <typename T>
  void add(std::span<const T> items) {
    static_assert(std::is_arithmetic_v<T>, "what fills a gap in a struct is anybody's guess");
    mix(items.size());
    const auto* bytes = reinterpret_cast<const unsigned char*>(items.data());
    const std::size_t n_bytes = items.size_bytes();
    for (std::size_t at = 0; at < n_bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min(sizeof(word), n_bytes - at));
      mix(word);
    }
  }

  std::uint64_t value() const { return value_; }

 private:
  // The end of SplitMix64 (see random.hpp) over the running value.
  void mix(std::uint64_t word) {
    std::uint64_t x = (value_ ^ word) + 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    value_ = x ^ (x >> 31);
  }

  std::uint64_t value_ = 0;
};

}  // namespace plboost
