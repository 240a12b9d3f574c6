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
        const std::uint32_t code = (block.words[node.lane + begin + i] >> node.shift) & 0xffU;
        const std::uint32_t is_left = (node.left[code / 32] >> (code % 32)) & 1U;
        at[i] = node.child + 1 - is_left;
      }
    }
    for (std::size_t i = 0; i < count; ++i) node_of_row[begin + i] = at[i];
  }
}

template <typename Isa>
[[gnu::always_inline]] inline double deviation(const LeafTerm& term, const CodeBlock& block,
                                               std::size_t row) {
  const std::uint32_t code = (block.words[term.group * block.stride + row] >> term.shift) & 0xffU;
  return static_cast<double>(term.values[code]) - term.reference;
}

// kVectors: vectors of eight per row of moments; 0: as many as `width` says.
template <typename Isa, std::size_t kVectors>
void add_moments_of(const LeafTerms* leaves, const std::uint32_t* leaf_of_row,
                    const CodeBlock& block, const float* g, const float* h, std::size_t n_columns,
                    std::size_t width, double* moments, double* x) {
  const std::size_t n_vectors = kVectors > 0 ? kVectors : width / 8;
  const std::size_t leaf_size = (n_columns + 2) * width;
  for (std::size_t row = 0; row < block.n; ++row) {
    const LeafTerms& leaf = leaves[leaf_of_row[row]];
    double* sums = moments + leaf_of_row[row] * leaf_size;
    const double weight = h == nullptr ? 1.0 : static_cast<double>(h[row]);
    for (std::size_t v = 0; v < n_vectors; ++v) store<Isa>(x + 8 * v, Double8{});
    x[0] = 1.0;
    for (std::size_t j = 0; j < leaf.n_terms; ++j) {
      x[j + 1] = deviation<Isa>(leaf.terms[j], block, row);
    }
    for (std::size_t j = 0; j <= leaf.n_terms; ++j) {
      const double hx = weight * x[j];
      for (std::size_t v = 0; v < n_vectors; ++v) {
        double* to = sums + j * width + 8 * v;
        store<Isa>(to, load<Isa, Double8>(to) + hx * load<Isa, Double8>(x + 8 * v));
      }
    }
    const auto gradient = static_cast<double>(g[row]);
    for (std::size_t v = 0; v < n_vectors; ++v) {
      double* to = sums + (n_columns + 1) * width + 8 * v;
      store<Isa>(to, load<Isa, Double8>(to) + gradient * load<Isa, Double8>(x + 8 * v));
    }
  }
}

template <typename Isa>
void add_moments(const LeafTerms* leaves, const std::uint32_t* leaf_of_row, const CodeBlock& block,
                 const float* g, const float* h, std::size_t n_columns, std::size_t width,
                 double* moments) {
  constexpr std::size_t kLargestWidth = 264;  // 256 regressors and the mean
  alignas(64) double x[kLargestWidth];
  if (width == 8) {
    add_moments_of<Isa, 1>(leaves, leaf_of_row, block, g, h, n_columns, width, moments, x);
  } else if (width == 16) {
    add_moments_of<Isa, 2>(leaves, leaf_of_row, block, g, h, n_columns, width, moments, x);
  } else {
    add_moments_of<Isa, 0>(leaves, leaf_of_row, block, g, h, n_columns, width, moments, x);
  }
}

template <typename Isa>
void leaf_outputs(const LeafTerms* leaves, const std::uint32_t* leaf_of_row, const CodeBlock& block,
                  double* outputs) {
  for (std::size_t row = 0; row < block.n; ++row) {
    const LeafTerms& leaf = leaves[leaf_of_row[row]];
    double output = leaf.intercept;
    for (std::size_t j = 0; j < leaf.n_terms; ++j) {
      output += leaf.terms[j].slope * deviation<Isa>(leaf.terms[j], block, row);
    }
    outputs[row] = output;
  }
}

}  // namespace plboost::generic
