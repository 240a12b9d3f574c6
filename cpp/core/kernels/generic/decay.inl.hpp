#pragma once

#include "core/kernels/generic/vector.inl.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost::generic {

// exp(-|score|) = 2^k exp(r) with |r| <= ln(2) / 2. Nothing but additions and multiplications, so
// that it is the same to the last bit on every machine.
template <typename Isa>
[[gnu::always_inline]] inline Doubles<Isa> decay_of(Doubles<Isa> score) {
  constexpr double kLowest = -708.0;  // 2^k is still a normal number
  constexpr double kPerLog2 = 0x1.71547652b82fep0;
  constexpr double kLog2High = 0x1.62e42fefap-1;  // times k without rounding
  constexpr double kLog2Low = 0x1.cf79abc9e3b3ap-40;
  constexpr double kRounding = 0x1.8p52;  // plus a number: the last bits are its nearest integer
  // 1 / i! from i = 13 down.
  constexpr double kTerms[] = {0x1.6124613a86d09p-33,
                               0x1.1eed8eff8d898p-29,
                               0x1.ae64567f544e4p-26,
                               0x1.27e4fb7789f5cp-22,
                               0x1.71de3a556c734p-19,
                               0x1.a01a01a01a01ap-16,
                               0x1.a01a01a01a01ap-13,
                               0x1.6c16c16c16c17p-10,
                               0x1.1111111111111p-7,
                               0x1.5555555555555p-5,
                               0x1.5555555555555p-3,
                               0.5,
                               1.0,
                               1.0};
  const Doubles<Isa> negative = score > 0.0 ? -score : score;
  const Doubles<Isa> x = negative < kLowest ? filled<Isa>(kLowest) : negative;
  const Doubles<Isa> rounded = x * kPerLog2 + kRounding;
  const Doubles<Isa> k = rounded - kRounding;
  const Doubles<Isa> r = (x - k * kLog2High) - k * kLog2Low;
  Doubles<Isa> sum = filled<Isa>(kTerms[0]);
  for (std::size_t i = 1; i < sizeof kTerms / sizeof *kTerms; ++i) sum = sum * r + kTerms[i];
  // The exponent's field of a double stands above 52 bits, 1023 more than the exponent.
  const Longs<Isa> power = (Longs<Isa>(rounded) + 1023) << 52;
  return sum * Doubles<Isa>(power);
}

template <typename Isa>
void decay(const double* scores, std::size_t n, double* out) {
  constexpr std::size_t kWidth = Native<Isa>::kWidth;
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store<Isa>(out + i, decay_of<Isa>(read<Isa>(scores + i)));
  if (i == n) return;
  double rest[kWidth]{};
  for (std::size_t j = i; j < n; ++j) rest[j - i] = scores[j];
  const Doubles<Isa> last = decay_of<Isa>(read<Isa>(rest));
  for (std::size_t j = i; j < n; ++j) out[j] = last[j - i];
}

}  // namespace plboost::generic
