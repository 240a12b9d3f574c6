#pragma once

#include <cstddef>
#include <cstring>

namespace plboost {

// The caller's feature matrix, read where it lies: float32 or float64, rows and columns at any
// stride (in bytes).
struct MatrixView {
  enum class Scalar { kFloat32, kFloat64 };

  const std::byte* data = nullptr;
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;
  Scalar scalar = Scalar::kFloat64;

  double at(std::size_t row, std::size_t column) const {
    const std::byte* cell = data + static_cast<std::ptrdiff_t>(row) * row_stride +
                            static_cast<std::ptrdiff_t>(column) * column_stride;
    if (scalar == Scalar::kFloat32) {
      float value;
      std::memcpy(&value, cell, sizeof value);
      return static_cast<double>(value);
    }
    double value;
    std::memcpy(&value, cell, sizeof value);
    return value;
  }
};

}  // namespace plboost
