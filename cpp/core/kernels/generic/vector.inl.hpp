#pragma once

// Vectors of eight numbers as the compiler provides them: it maps one and the same source to two,
// or one, registers of whatever the target file may use. Everything is a template over the target's
// own tag type `Isa`, so that no two targets share a symbol.

#include <cstddef>
#include <cstdint>

namespace plboost::generic {

typedef float Float8 __attribute__((vector_size(32)));
typedef double Double8 __attribute__((vector_size(64)));

// As many numbers as one register of the target holds. Eight doubles where a register holds fewer
// are an emulation: comparisons, choices and shuffles of them go through memory, one by one.
template <typename Isa>
struct Native {
  static constexpr std::size_t kWidth = Isa::kDoubles;
  typedef double Doubles __attribute__((vector_size(8 * kWidth)));
  typedef std::int64_t Longs __attribute__((vector_size(8 * kWidth)));
  typedef float Floats __attribute__((vector_size(4 * kWidth)));
};

template <typename Isa, typename Vector, typename Scalar>
[[gnu::always_inline]] inline Vector load(const Scalar* from) {
  Vector vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}

template <typename Isa, typename Vector, typename Scalar>
[[gnu::always_inline]] inline void store(Scalar* to, const Vector& vector) {
  __builtin_memcpy(to, &vector, sizeof vector);
}

template <typename Isa>
using Doubles = typename Native<Isa>::Doubles;
template <typename Isa>
using Longs = typename Native<Isa>::Longs;
template <typename Isa>
using Floats = typename Native<Isa>::Floats;

// As many floats as doubles fit into a register. Where the compiler makes pieces of the conversion,
// the target brings its own.
template <typename Isa>
[[gnu::always_inline]] inline Doubles<Isa> widened(const Floats<Isa>& floats) {
  if constexpr (requires { Isa::widened(floats); }) {
    return Isa::widened(floats);
  } else {
    return __builtin_convertvector(floats, Doubles<Isa>);
  }
}

// A register full of copies.
template <typename Isa>
[[gnu::always_inline]] inline Doubles<Isa> filled(double value) {
  return Doubles<Isa>{} + value;
}

template <typename Isa>
[[gnu::always_inline]] inline Doubles<Isa> read(const double* from) {
  return load<Isa, Doubles<Isa>>(from);
}

template <typename Isa>
[[gnu::always_inline]] inline Double8 broadcast(double value) {
  return Double8{value, value, value, value, value, value, value, value};
}

// rows[i][j] <-> rows[j][i], in rounds of pairwise exchanges.
template <typename Isa, typename Vector>
[[gnu::always_inline]] inline void transpose(Vector (&rows)[2]) {
  const Vector first = rows[0];
  rows[0] = __builtin_shufflevector(first, rows[1], 0, 2);
  rows[1] = __builtin_shufflevector(first, rows[1], 1, 3);
}

template <typename Isa, typename Vector>
[[gnu::always_inline]] inline void transpose(Vector (&rows)[4]) {
  Vector a[4];
  for (int i = 0; i < 4; i += 2) {
    a[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 4, 2, 6);
    a[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 1, 5, 3, 7);
  }
  for (int j = 0; j < 2; ++j) {
    rows[j] = __builtin_shufflevector(a[j], a[j + 2], 0, 1, 4, 5);
    rows[j + 2] = __builtin_shufflevector(a[j], a[j + 2], 2, 3, 6, 7);
  }
}

template <typename Isa, typename Vector>
[[gnu::always_inline]] inline void transpose(Vector (&rows)[8]) {
  Vector a[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  Vector b[8];
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      b[i + j] = __builtin_shufflevector(a[i + j], a[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + j + 2] = __builtin_shufflevector(a[i + j], a[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int j = 0; j < 4; ++j) {
    rows[j] = __builtin_shufflevector(b[j], b[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    rows[j + 4] = __builtin_shufflevector(b[j], b[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

}  // namespace plboost::generic
