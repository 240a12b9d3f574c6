#pragma once

#include "core/kernels/generic/vector.inl.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost::generic {

// Eight rows go down side by side: each step waits for the memory of the one before it, other rows'
// steps do not.
template <typename Isa>
void route(const RouteNode* nodes, int depth, const CodeBlock& block, std::uint32_t* node_of_row) {
  constexpr std::size_t kRows = 8;
  for (std::size_t begin = 0; begin < block.n; begin += kRows) {
    const std::size_t count = block.n - begin < kRows ? block.n - begin : kRows;
    std::uint32_t at[kRows] = {};
    for (int level = 0; level < depth; ++level) {
      for (std::size_t i = 0; i < count; ++i) {
        const RouteNode& node = nodes[at[i]];
        const std::uint32_t code =
            (block.words[(node.place >> 5) + begin + i] >> (node.place & 31U)) & 0xffU;
        const std::uint32_t is_left = (node.left[code / 32] >> (code % 32)) & 1U;
        at[i] = node.child + 1 - is_left;
      }
    }
    for (std::size_t i = 0; i < count; ++i) node_of_row[begin + i] = at[i];
  }
}

template <typename Isa>
[[gnu::always_inline]] inline double deviation(const LeafTerm& term, const LeafRows& rows,
                                               std::size_t i) {
  const std::uint32_t word = term.words[rows.first + rows.rows[i]];
  return static_cast<double>(term.values[(word >> term.shift) & 0xffU]) - term.reference;
}

// What g or h is in up to eight rows; 0 in those that are not there.
template <typename Isa>
[[gnu::always_inline]] inline Double8 lane_of_rows(const float* lane, const LeafRows& rows,
                                                   std::size_t begin, std::size_t count) {
  alignas(64) double values[8] = {};
  for (std::size_t i = 0; i < count; ++i) {
    values[i] =
        lane == nullptr ? 1.0 : static_cast<double>(lane[rows.first + rows.rows[begin + i]]);
  }
  return load<Isa, Double8>(values);
}

template <typename Isa>
[[gnu::always_inline]] inline double sum_lanes(const Double8& v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

template <typename Isa>
void add_moments(const LeafTerms& leaf, const LeafRows& rows, const float* g, const float* h,
                 double* scratch, double* moments) {
  const std::size_t k = leaf.n_terms + 1;
  const std::size_t n_sums = k * (k + 1) / 2 + k;
  double* columns = scratch;       // [k][8]
  double* sums = scratch + 8 * k;  // [n_sums][8]
  for (std::size_t i = 0; i < n_sums; ++i) store<Isa>(sums + 8 * i, Double8{});
  for (std::size_t begin = 0; begin < rows.n; begin += 8) {
    const std::size_t count = rows.n - begin < 8 ? rows.n - begin : 8;
    const Double8 gradient = lane_of_rows<Isa>(g, rows, begin, count);
    const Double8 hessian = lane_of_rows<Isa>(h, rows, begin, count);
    store<Isa>(columns, broadcast<Isa>(1.0));
    for (std::size_t j = 1; j < k; ++j) {
      double* column = columns + 8 * j;
      for (std::size_t i = 0; i < count; ++i) {
        column[i] = deviation<Isa>(leaf.terms[j - 1], rows, begin + i);
      }
      for (std::size_t i = count; i < 8; ++i) column[i] = 0.0;
    }
    double* sum = sums;
    for (std::size_t j = 0; j < k; ++j) {
      const Double8 hx = hessian * load<Isa, Double8>(columns + 8 * j);
      for (std::size_t l = 0; l <= j; ++l, sum += 8) {
        store<Isa>(sum, load<Isa, Double8>(sum) + hx * load<Isa, Double8>(columns + 8 * l));
      }
    }
    for (std::size_t j = 0; j < k; ++j, sum += 8) {
      store<Isa>(sum, load<Isa, Double8>(sum) + gradient * load<Isa, Double8>(columns + 8 * j));
    }
  }
  for (std::size_t i = 0; i < n_sums; ++i) {
    moments[i] += sum_lanes<Isa>(load<Isa, Double8>(sums + 8 * i));
  }
}

template <typename Isa>
void leaf_outputs(const LeafTerms& leaf, const LeafRows& rows, double* outputs) {
  for (std::size_t i = 0; i < rows.n; ++i) {
    double output = leaf.intercept;
    for (std::size_t j = 0; j < leaf.n_terms; ++j) {
      output += leaf.terms[j].slope * deviation<Isa>(leaf.terms[j], rows, i);
    }
    outputs[i] = output;
  }
}

}  // namespace plboost::generic
