#pragma once

#include "core/kernels/generic/vector.inl.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost::generic {

typedef std::uint8_t Byte16 __attribute__((vector_size(16)));

// As many codes, or words of four, as one register of the target holds.
template <typename Isa>
struct CodeVectors {
  static constexpr std::size_t kBytes = 8 * Isa::kDoubles;
  static constexpr std::size_t kWords = kBytes / 4;
  typedef std::uint8_t Bytes __attribute__((vector_size(kBytes)));
  typedef std::uint32_t Words __attribute__((vector_size(kBytes)));
};

template <typename Isa, typename Vector>
[[gnu::always_inline]] inline Vector smaller(const Vector& a, const Vector& b) {
  return a < b ? a : b;
}
template <typename Isa, typename Vector>
[[gnu::always_inline]] inline Vector larger(const Vector& a, const Vector& b) {
  return a > b ? a : b;
}

// Brings a register of words down to one word: what `best` leaves of each of its bytes.
template <typename Isa, typename Best>
[[gnu::always_inline]] inline std::uint32_t best_bytes(
    const typename CodeVectors<Isa>::Bytes& bytes, Best&& best) {
  constexpr std::size_t kParts = CodeVectors<Isa>::kBytes / 16;
  Byte16 parts[kParts];
  __builtin_memcpy(parts, &bytes, sizeof parts);
  Byte16 all = parts[0];
  for (std::size_t i = 1; i < kParts; ++i) all = best(all, parts[i]);
  all = best(
      all, __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  all = best(
      all, __builtin_shufflevector(all, all, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  std::uint32_t word;
  __builtin_memcpy(&word, &all, sizeof word);
  return word;
}

template <typename Isa>
CodeRange code_range(const std::uint32_t* codes, std::size_t n, std::uint32_t missing) {
  using Bytes = typename CodeVectors<Isa>::Bytes;
  using Words = typename CodeVectors<Isa>::Words;
  constexpr std::size_t kWords = CodeVectors<Isa>::kWords;
  const auto none = reinterpret_cast<Bytes>(Words{} + missing);
  Bytes low = ~Bytes{};
  Bytes high{};
  const auto add = [&](const Bytes& bytes) {
    const auto is_missing = reinterpret_cast<Bytes>(bytes == none);
    low = smaller<Isa>(low, static_cast<Bytes>(bytes | is_missing));
    high = larger<Isa>(high, static_cast<Bytes>(bytes & ~is_missing));
  };
  std::size_t i = 0;
  for (; i + kWords <= n; i += kWords) add(load<Isa, Bytes>(codes + i));
  if (i < n) {
    std::uint32_t rest[kWords];
    for (std::size_t j = 0; j < kWords; ++j) rest[j] = i + j < n ? codes[i + j] : missing;
    add(load<Isa, Bytes>(rest));
  }
  return {best_bytes<Isa>(low, smaller<Isa, Byte16>), best_bytes<Isa>(high, larger<Isa, Byte16>)};
}

template <typename Isa>
void join_codes(const std::uint32_t* codes, std::size_t n, const CodeJoin& join,
                std::uint32_t* out) {
  using Bytes = typename CodeVectors<Isa>::Bytes;
  using Words = typename CodeVectors<Isa>::Words;
  constexpr std::size_t kWords = CodeVectors<Isa>::kWords;
  const auto none = reinterpret_cast<Bytes>(Words{} + join.missing);
  const auto first = reinterpret_cast<Bytes>(Words{} + join.first);
  const auto joined_none = reinterpret_cast<Bytes>(Words{} + join.joined_missing);
  const auto joined = [&](const Words& words) {
    // Bits that leave a byte must not enter the one below it.
    const Words by_one = ((words >> 1) & (join.once & 0x7f7f7f7fU)) | (words & ~join.once);
    const Words by_two = ((by_one >> 2) & (join.twice & 0x3f3f3f3fU)) | (by_one & ~join.twice);
    return reinterpret_cast<Bytes>(words) == none ? joined_none
                                                  : reinterpret_cast<Bytes>(by_two) - first;
  };
  std::size_t i = 0;
  for (; i + kWords <= n; i += kWords) store<Isa>(out + i, joined(load<Isa, Words>(codes + i)));
  if (i == n) return;
  std::uint32_t rest[kWords] = {};
  for (std::size_t j = i; j < n; ++j) rest[j - i] = codes[j];
  store<Isa>(rest, joined(load<Isa, Words>(rest)));
  for (std::size_t j = i; j < n; ++j) out[j] = rest[j - i];
}

}  // namespace plboost::generic
