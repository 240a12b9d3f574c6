#pragma once

#include "core/kernels/generic/vector.inl.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost::generic {

// Where the rows of a leaf are: anywhere, or side by side.
enum class Places { kAnywhere, kTogether };

// Reads what up to eight rows of a leaf have in some lane; 0 for those that are not there.
template <typename Isa, Places kPlaces>
struct PlainReader {
  const LeafRows& rows;
  std::size_t begin;
  std::size_t count;

  std::size_t row(std::size_t i) const {
    return rows.first + (kPlaces == Places::kTogether ? begin + i : rows.rows[begin + i]);
  }

  Double8 lane(const float* lane) const {
    alignas(64) double values[8] = {};
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = lane == nullptr ? 1.0 : static_cast<double>(lane[row(i)]);
    }
    return load<Isa, Double8>(values);
  }

  Double8 deviation(const LeafTerm& term) const {
    alignas(64) double values[8] = {};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t word = term.words[row(i)];
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

template <typename Isa, typename Reader>
void fetch_by(const LeafTerms& leaf, const LeafRows& rows, const RowStatistics& statistics,
              std::size_t at, const LeafTable& table) {
  double* to = table.lanes + at;
  for (std::size_t begin = 0; begin < rows.n; begin += 8, to += 8) {
    const Reader reader{rows, begin, rows.n - begin < 8 ? rows.n - begin : 8};
    if (statistics.g != nullptr) {
      store<Isa>(to + kTableG * table.stride, reader.lane(statistics.g));
      store<Isa>(to + kTableH * table.stride, reader.lane(statistics.h));
      if (table.weighted) store<Isa>(to + kTableW * table.stride, reader.lane(statistics.w));
    }
    for (std::size_t j = 0; j < leaf.n_terms; ++j) {
      store<Isa>(to + (kTableX + j) * table.stride, reader.deviation(leaf.terms[j]));
    }
  }
  for (std::size_t lane = 0; lane < kTableX + leaf.n_terms; ++lane) {
    store<Isa>(table.lanes + lane * table.stride + at + rows.n, Double8{});
  }
}

template <typename Isa, template <typename, Places> typename Reader = PlainReader>
void fetch_rows(const LeafTerms& leaf, const LeafRows& rows, const RowStatistics& statistics,
                std::size_t at, const LeafTable& table) {
  if (rows.rows == nullptr) {
    fetch_by<Isa, Reader<Isa, Places::kTogether>>(leaf, rows, statistics, at, table);
  } else {
    fetch_by<Isa, Reader<Isa, Places::kAnywhere>>(leaf, rows, statistics, at, table);
  }
}

// Columns whose products with another are summed in registers, in one pass.
inline constexpr std::size_t kColumnsTogether = 5;

// Sums of h x, g x, h x c[0], h x c[1], ... for kCount columns c; x null: 1.
template <typename Isa, std::size_t kCount>
void sum_products(const LeafTable& table, const double* x, const double* columns, double* sums) {
  const double* g = table.lanes + kTableG * table.stride;
  const double* h = table.lanes + kTableH * table.stride;
  Double8 of_h{};
  Double8 of_g{};
  Double8 of_columns[kCount == 0 ? 1 : kCount] = {};
  for (std::size_t i = 0; i < table.n; i += 8) {
    const Double8 here = x == nullptr ? broadcast<Isa>(1.0) : load<Isa, Double8>(x + i);
    const Double8 hx = load<Isa, Double8>(h + i) * here;
    of_h += hx;
    of_g += load<Isa, Double8>(g + i) * here;
    for (std::size_t c = 0; c < kCount; ++c) {
      of_columns[c] += hx * load<Isa, Double8>(columns + c * table.stride + i);
    }
  }
  store<Isa>(sums, of_h);
  store<Isa>(sums + 8, of_g);
  for (std::size_t c = 0; c < kCount; ++c) store<Isa>(sums + 16 + 8 * c, of_columns[c]);
}

template <typename Isa>
[[gnu::always_inline]] inline void sum_products(const LeafTable& table, const double* x,
                                                const double* columns, std::size_t n_columns,
                                                double* sums) {
  switch (n_columns) {
    case 0:
      return sum_products<Isa, 0>(table, x, columns, sums);
    case 1:
      return sum_products<Isa, 1>(table, x, columns, sums);
    case 2:
      return sum_products<Isa, 2>(table, x, columns, sums);
    case 3:
      return sum_products<Isa, 3>(table, x, columns, sums);
    case 4:
      return sum_products<Isa, 4>(table, x, columns, sums);
    default:
      return sum_products<Isa, kColumnsTogether>(table, x, columns, sums);
  }
}

// A row of the moments at a time: all rows of the table pass by for each, but what they add to
// stays in registers.
template <typename Isa>
void add_moments(const LeafTable& table, double* moments) {
  const std::size_t k = table.n_columns;
  const double* first = table.lanes + kTableX * table.stride;
  double* of_h = moments;
  double* of_g = moments + (k + 1) * (k + 2) / 2;
  alignas(64) double sums[8 * (2 + kColumnsTogether)];
  for (std::size_t j = 0; j <= k; of_h += ++j) {
    const double* x = j == 0 ? nullptr : first + (j - 1) * table.stride;
    std::size_t done = 0;
    do {
      const std::size_t left = j - done;
      const std::size_t count = left < kColumnsTogether ? left : kColumnsTogether;
      sum_products<Isa>(table, x, first + done * table.stride, count, sums);
      double totals[2 + kColumnsTogether] = {};
      add_lane_sums<Isa>(sums, 2 + count, totals);
      if (done == 0) {
        of_h[0] += totals[0];
        of_g[j] += totals[1];
      }
      for (std::size_t c = 0; c < count; ++c) of_h[1 + done + c] += totals[2 + c];
      done += count;
    } while (done < j);
  }
}

// kColumns: those of the leaf, or 0 if only `leaf` tells.
template <typename Isa, std::size_t kColumns>
void add_column_left_out(const LeafTable& table, const LeafTerms& leaf, const LeftOutFit& fit,
                         double* scratch, double* sums) {
  const std::size_t k = kColumns != 0 ? kColumns : leaf.n_terms;
  alignas(64) double few[8 * kColumns + 8];
  double* columns = kColumns != 0 ? few : scratch;  // [k][8] what L leaves of them
  alignas(64) double total[8 * kLeftOutSums] = {};
  const auto lane = [&table](std::size_t index, std::size_t row) {
    return load<Isa, Double8>(table.lanes + index * table.stride + row);
  };
  for (std::size_t i = 0; i < table.n; i += 8) {
    const Double8 gradient = lane(kTableG, i);
    const Double8 hessian = lane(kTableH, i);
    Double8 output{};
    Double8 leverage{};
    const double* factor = fit.factors;
    for (std::size_t j = 0; j < k; ++j) {
      Double8 rest = lane(kTableX + j, i) - fit.means[j];
      output += leaf.terms[j].slope * rest;
      for (std::size_t l = 0; l < j; ++l) rest -= *factor++ * load<Isa, Double8>(columns + 8 * l);
      store<Isa>(columns + 8 * j, rest);
      leverage += fit.inverse[j] * (rest * rest);
    }
    if (table.weighted) {
      const Double8 weight = lane(kTableW, i);
      leverage =
          weight > 0.0 ? leverage / (weight > 0.0 ? weight : broadcast<Isa>(1.0)) : Double8{};
    }
    const Double8 pull = -(gradient + fit.mean * hessian);
    const Double8 rest = 1.0 - leverage * hessian;
    const Double8 change = leverage * (pull - hessian * output) /
                           (rest > kLeastRest ? rest : broadcast<Isa>(kLeastRest));
    const Double8 left_out = output - change;
    store<Isa>(total, load<Isa, Double8>(total) + pull * left_out);
    store<Isa>(total + 8, load<Isa, Double8>(total + 8) + hessian * (left_out * left_out));
  }
  add_lane_sums<Isa>(total, kLeftOutSums, sums);
}

template <typename Isa>
void add_left_out(const LeafTable& table, const LeafTerms& leaf, const LeftOutFit& fit,
                  double* scratch, double* sums) {
  // The number of columns is a constant where they are few.
  switch (leaf.n_terms) {
    case 0:
      return;
    case 1:
      return add_column_left_out<Isa, 1>(table, leaf, fit, scratch, sums);
    case 2:
      return add_column_left_out<Isa, 2>(table, leaf, fit, scratch, sums);
    case 3:
      return add_column_left_out<Isa, 3>(table, leaf, fit, scratch, sums);
    case 4:
      return add_column_left_out<Isa, 4>(table, leaf, fit, scratch, sums);
    case 5:
      return add_column_left_out<Isa, 5>(table, leaf, fit, scratch, sums);
    default:
      return add_column_left_out<Isa, 0>(table, leaf, fit, scratch, sums);
  }
}

template <typename Isa>
void leaf_outputs(const LeafTable& table, const LeafTerms& leaf, double* outputs) {
  for (std::size_t i = 0; i < table.n; i += 8) {
    const std::size_t count = table.n - i < 8 ? table.n - i : 8;
    Double8 output = broadcast<Isa>(leaf.intercept);
    for (std::size_t j = 0; j < leaf.n_terms; ++j) {
      output +=
          leaf.terms[j].slope * load<Isa, Double8>(table.lanes + (kTableX + j) * table.stride + i);
    }
    __builtin_memcpy(outputs + i, &output, count * sizeof(double));
  }
}

}  // namespace plboost::generic
