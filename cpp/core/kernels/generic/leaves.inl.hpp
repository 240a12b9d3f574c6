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

// Reads what up to eight rows of a leaf have in some lane; 0 for those that are not there.
template <typename Isa>
struct PlainReader {
  const LeafRows& rows;
  std::size_t begin;
  std::size_t count;

  Double8 lane(const float* lane) const {
    alignas(64) double values[8] = {};
    for (std::size_t i = 0; i < count; ++i) {
      values[i] =
          lane == nullptr ? 1.0 : static_cast<double>(lane[rows.first + rows.rows[begin + i]]);
    }
    return load<Isa, Double8>(values);
  }

  Double8 deviation(const LeafTerm& term) const {
    alignas(64) double values[8] = {};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t word = term.words[rows.first + rows.rows[begin + i]];
      values[i] = static_cast<double>(term.values[(word >> term.shift) & 0xffU]) - term.reference;
    }
    return load<Isa, Double8>(values);
  }
};

// The sums of the lanes of `n` vectors, added to moments.
template <typename Isa>
[[gnu::always_inline]] inline void add_lane_sums(const double* sums, std::size_t n,
                                                 double* moments) {
  for (std::size_t first = 0; first < n; first += 8) {
    const std::size_t count = n - first < 8 ? n - first : 8;
    Double8 lane[8] = {};
    for (std::size_t i = 0; i < count; ++i) lane[i] = load<Isa, Double8>(sums + 8 * (first + i));
    transpose<Isa>(lane);
    const Double8 total =
        ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    for (std::size_t i = 0; i < count; ++i) moments[first + i] += total[i];
  }
}

// kColumns: the columns of the leaf with its constant, or 0 if only `leaf` tells.
template <typename Isa, typename Reader, std::size_t kColumns>
void add_column_moments(const LeafTerms& leaf, const LeafRows& rows, const float* g, const float* h,
                        double* scratch, double* moments) {
  const std::size_t k = kColumns != 0 ? kColumns : leaf.n_terms + 1;
  const std::size_t n_sums = moment_count(k - 1);
  alignas(64) double few[kColumns != 0 ? moment_scratch(kColumns - 1) : 8];
  double* columns = kColumns != 0 ? few : scratch;  // [k][8]
  double* sums = columns + 8 * k;                   // [n_sums][8]
  for (std::size_t i = 0; i < n_sums; ++i) store<Isa>(sums + 8 * i, Double8{});
  store<Isa>(columns, broadcast<Isa>(1.0));
  for (std::size_t begin = 0; begin < rows.n; begin += 8) {
    const Reader reader{rows, begin, rows.n - begin < 8 ? rows.n - begin : 8};
    const Double8 gradient = reader.lane(g);
    const Double8 hessian = reader.lane(h);
    for (std::size_t j = 1; j < k; ++j) {
      store<Isa>(columns + 8 * j, reader.deviation(leaf.terms[j - 1]));
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
  add_lane_sums<Isa>(sums, n_sums, moments);
}

// kColumns as above.
template <typename Isa, typename Reader, std::size_t kColumns>
void add_column_left_out(const LeafTerms& leaf, const LeftOutFit& fit, const LeafRows& rows,
                         const RowStatistics& statistics, double* scratch, double* sums) {
  const std::size_t k = kColumns != 0 ? kColumns - 1 : leaf.n_terms;
  alignas(64) double few[8 * kColumns + 8];
  double* columns = kColumns != 0 ? few : scratch;  // [k][8] what L leaves of them
  alignas(64) double total[8 * kLeftOutSums] = {};
  for (std::size_t begin = 0; begin < rows.n; begin += 8) {
    const Reader reader{rows, begin, rows.n - begin < 8 ? rows.n - begin : 8};
    const Double8 gradient = reader.lane(statistics.g);
    const Double8 hessian = reader.lane(statistics.h);
    Double8 output{};
    Double8 leverage{};
    const double* factor = fit.factors;
    for (std::size_t j = 0; j < k; ++j) {
      Double8 rest = reader.deviation(leaf.terms[j]) - fit.means[j];
      output += leaf.terms[j].slope * rest;
      for (std::size_t l = 0; l < j; ++l) rest -= *factor++ * load<Isa, Double8>(columns + 8 * l);
      store<Isa>(columns + 8 * j, rest);
      leverage += fit.inverse[j] * (rest * rest);
    }
    if (statistics.w != nullptr) {
      const Double8 weight = reader.lane(statistics.w);
      leverage =
          weight > 0.0 ? leverage / (weight > 0.0 ? weight : broadcast<Isa>(1.0)) : Double8{};
    }
    const Double8 pull = -(gradient + fit.mean * hessian);
    const Double8 rest = 1.0 - leverage * hessian;
    const Double8 change = leverage * (pull - hessian * output) /
                           (rest > kLeastRest ? rest : broadcast<Isa>(kLeastRest));
    const Double8 left_out = output - fit.times * change;
    store<Isa>(total, load<Isa, Double8>(total) + pull * left_out);
    store<Isa>(total + 8, load<Isa, Double8>(total + 8) + hessian * (left_out * left_out));
  }
  add_lane_sums<Isa>(total, kLeftOutSums, sums);
}

template <typename Isa, std::size_t kCount>
struct Columns {
  static constexpr std::size_t kColumns = kCount;
};

// Calls run with the number of columns as a constant where they are few.
template <typename Isa, typename Run>
[[gnu::always_inline]] inline void with_columns(std::size_t n_terms, Run&& run) {
  switch (n_terms) {
    case 0:
      return run(Columns<Isa, 1>{});
    case 1:
      return run(Columns<Isa, 2>{});
    case 2:
      return run(Columns<Isa, 3>{});
    case 3:
      return run(Columns<Isa, 4>{});
    case 4:
      return run(Columns<Isa, 5>{});
    case 5:
      return run(Columns<Isa, 6>{});
    default:
      return run(Columns<Isa, 0>{});
  }
}

template <typename Isa, typename Reader = PlainReader<Isa>>
void add_moments(const LeafTerms& leaf, const LeafRows& rows, const float* g, const float* h,
                 double* scratch, double* moments) {
  with_columns<Isa>(leaf.n_terms, [&](auto columns) {
    add_column_moments<Isa, Reader, columns.kColumns>(leaf, rows, g, h, scratch, moments);
  });
}

template <typename Isa, typename Reader = PlainReader<Isa>>
void add_left_out(const LeafTerms& leaf, const LeftOutFit& fit, const LeafRows& rows,
                  const RowStatistics& statistics, double* scratch, double* sums) {
  with_columns<Isa>(leaf.n_terms, [&](auto columns) {
    add_column_left_out<Isa, Reader, columns.kColumns>(leaf, fit, rows, statistics, scratch, sums);
  });
}

template <typename Isa, typename Reader = PlainReader<Isa>>
void leaf_outputs(const LeafTerms& leaf, const LeafRows& rows, double* outputs) {
  for (std::size_t begin = 0; begin < rows.n; begin += 8) {
    const std::size_t count = rows.n - begin < 8 ? rows.n - begin : 8;
    const Reader reader{rows, begin, count};
    Double8 output = broadcast<Isa>(leaf.intercept);
    for (std::size_t j = 0; j < leaf.n_terms; ++j) {
      output += leaf.terms[j].slope * reader.deviation(leaf.terms[j]);
    }
    __builtin_memcpy(outputs + begin, &output, count * sizeof(double));
  }
}

}  // namespace plboost::generic
