#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/matrix_view.hpp"

namespace plboost::bindings {

namespace nb = nanobind;

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyScores = nb::ndarray<const double, nb::device::cpu>;
template <typename T>
using NumpyVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

inline MatrixView view_of(const AnyMatrix& matrix) {
  MatrixView view;
  view.n_rows = matrix.shape(0);
  view.n_columns = matrix.shape(1);
  const auto item = static_cast<std::ptrdiff_t>(matrix.itemsize());
  view.row_stride = static_cast<std::ptrdiff_t>(matrix.stride(0)) * item;
  view.column_stride = static_cast<std::ptrdiff_t>(matrix.stride(1)) * item;
  view.data = static_cast<const std::byte*>(matrix.data());
  if (matrix.dtype() == nb::dtype<float>()) {
    view.scalar = MatrixView::Scalar::kFloat32;
  } else if (matrix.dtype() == nb::dtype<double>()) {
    view.scalar = MatrixView::Scalar::kFloat64;
  } else {
    throw InvalidInput("X must be float32 or float64.");
  }
  return view;
}

template <typename T>
std::span<const T> view_of(const Vector<T>& vector) {
  return {vector.data(), vector.size()};
}

template <typename T>
std::span<const T> view_of(const std::optional<Vector<T>>& vector) {
  return vector ? view_of(*vector) : std::span<const T>{};
}

// No weights at all, or one for every row: an empty array is not the same as none.
inline std::span<const double> weights_of(const std::optional<Vector<double>>& weights,
                                          std::size_t n_rows) {
  if (!weights) return {};
  if (weights->size() != n_rows) {
    throw InvalidInput("sample_weight must have one value per row of X: got " +
                       std::to_string(weights->size()) + " values for " + std::to_string(n_rows) +
                       " rows.");
  }
  return view_of(*weights);
}

// Hands the vector's memory over to NumPy.
template <typename T>
NumpyVector<T> to_numpy(std::vector<T> vector) {
  auto owned = std::make_unique<std::vector<T>>(std::move(vector));
  T* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.get(),
                    [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  owned.release();
  return NumpyVector<T>(data, {size}, owner);
}

}  // namespace plboost::bindings
