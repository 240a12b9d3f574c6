#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/modules.hpp"
#include "core/kernels/kernels.hpp"

// Every kernel of every instruction set that this machine has, on arrays made by hand. Outputs are
// the caller's arrays, so that a test sees what is written around them.

namespace plboost::bindings {
namespace {

template <typename T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words = Vector<std::uint32_t>;
using Floats = Vector<float>;
using MaybeFloats = std::optional<Floats>;

struct BoundKernels {
  const Kernels* table;
};

std::vector<BoundKernels> all_kernels() {
  const Kernels* tables[3];
  std::vector<BoundKernels> found;
  const std::size_t n = available_kernels(tables, 3);
  for (std::size_t i = 0; i < n; ++i) found.push_back({tables[i]});
  return found;
}

void check_at_least(std::size_t got, std::size_t needed, const char* what) {
  if (got < needed) {
    throw InvalidInput(std::string(what) + " must have at least " + std::to_string(needed) +
                       " elements, got " + std::to_string(got) + ".");
  }
}

const float* or_null(const MaybeFloats& lane) { return lane ? lane->data() : nullptr; }

void fill_statistics(const BoundKernels& self, const Floats& g, const MaybeFloats& h,
                     const MaybeFloats& z, const MaybeFloats& w, std::size_t begin, std::size_t n,
                     const Output<float>& out) {
  check_at_least(g.size(), begin + n, "g");
  for (const MaybeFloats* lane : {&h, &z, &w}) {
    if (*lane) check_at_least((*lane)->size(), begin + n, "a lane");
  }
  check_at_least(out.size(), n * kLanes, "out");
  self.table->fill_statistics({g.data(), or_null(h), or_null(z), or_null(w)}, begin, n, out.data());
}

void fill_products(const BoundKernels& self, const std::vector<MaybeFloats>& left,
                   const std::vector<MaybeFloats>& right, std::size_t begin, std::size_t n,
                   const Output<float>& out) {
  ProductLanes lanes{};
  check_at_least(left.size(), kLanes, "left");
  check_at_least(right.size(), kLanes, "right");
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (left[i]) check_at_least(left[i]->size(), begin + n, "a column");
    if (right[i]) check_at_least(right[i]->size(), begin + n, "a column");
    lanes.left[i] = or_null(left[i]);
    lanes.right[i] = or_null(right[i]);
  }
  check_at_least(out.size(), n * kLanes, "out");
  self.table->fill_products(lanes, begin, n, out.data());
}

void update_histogram(const BoundKernels& self, const Words& codes, const Floats& statistics,
                      std::size_t n_slots, const Output<float>& histogram) {
  if (n_slots < 1 || n_slots > kGroupSlots) throw InvalidInput("n_slots must be in 1..4.");
  check_at_least(statistics.size(), codes.size() * kLanes, "statistics");
  check_at_least(histogram.size(), kGroupFloats, "histogram");
  self.table->update_histogram(codes.data(), statistics.data(), codes.size(), n_slots,
                               histogram.data());
}

nb::tuple code_range(const BoundKernels& self, const Words& codes, std::uint32_t missing) {
  const CodeRange range = self.table->code_range(codes.data(), codes.size(), missing);
  return nb::make_tuple(range.low, range.high);
}

// join: as in CodeJoin.
void join_codes(const BoundKernels& self, const Words& codes,
                const std::vector<std::uint32_t>& join, const Output<std::uint32_t>& out) {
  check_at_least(join.size(), 5, "join");
  check_at_least(out.size(), codes.size(), "out");
  self.table->join_codes(codes.data(), codes.size(), {join[0], join[1], join[2], join[3], join[4]},
                         out.data());
}

std::size_t mark_left(const BoundKernels& self, const Words& codes, unsigned shift,
                      const Words& left, const Output<std::uint64_t>& goes_left) {
  check_at_least(left.size(), kCodes / 32, "left");
  check_at_least(goes_left.size(), (codes.size() + 63) / 64, "goes_left");
  return self.table->mark_left(codes.data(), shift, left.data(), codes.size(), goes_left.data());
}

// Lanes of `n` items, one after the other, each `stride` items behind the one before.
void partition(const BoundKernels& self, const Words& items, const Vector<std::uint64_t>& goes_left,
               const Output<std::uint32_t>& left, const Output<std::uint32_t>& right,
               std::size_t n_lanes, std::size_t stride) {
  const std::size_t behind = (n_lanes - 1) * stride;
  check_at_least(n_lanes, 1, "n_lanes");
  check_at_least(items.size(), behind, "items");
  const std::size_t n = items.size() - behind;
  check_at_least(goes_left.size(), (n + 63) / 64, "goes_left");
  check_at_least(left.size() + right.size(), n + 2 * behind, "left and right");
  self.table->partition({.items = reinterpret_cast<const std::byte*>(items.data()),
                         .left = reinterpret_cast<std::byte*>(left.data()),
                         .right = reinterpret_cast<std::byte*>(right.data()),
                         .stride = stride * sizeof(std::uint32_t),
                         .n_lanes = n_lanes},
                        goes_left.data(), n);
}

// False: the instruction set has no bit extraction, and nothing is written.
bool partition_codes(const BoundKernels& self, const Vector<std::uint8_t>& codes,
                     const Vector<std::uint64_t>& goes_left, const Output<std::uint8_t>& left,
                     const Output<std::uint8_t>& right) {
  const std::size_t n = codes.size();
  check_at_least(goes_left.size(), (n + 63) / 64, "goes_left");
  check_at_least(left.size() + right.size(), n, "left and right");
  if (self.table->partition_codes == nullptr) return false;
  self.table->partition_codes(reinterpret_cast<const std::byte*>(codes.data()), goes_left.data(), n,
                              reinterpret_cast<std::byte*>(left.data()),
                              reinterpret_cast<std::byte*>(right.data()));
  return true;
}

void update_z(const BoundKernels& self, const Words& codes, unsigned shift,
              const Floats& contribution, float slope_z, const Output<float>& z) {
  check_at_least(contribution.size(), kCodes, "contribution");
  check_at_least(z.size(), codes.size(), "z");
  self.table->update_z(codes.data(), shift, contribution.data(), slope_z, codes.size(), z.data());
}

void decay(const BoundKernels& self, const Vector<double>& scores, const Output<double>& out) {
  check_at_least(out.size(), scores.size(), "out");
  self.table->decay(scores.data(), scores.size(), out.data());
}

// The numbers of a ScanProblem: centre_z, then those from l2 on.
using ScanNumbers = std::vector<double>;

std::vector<double> flat(const ScanSums& s) {
  return {s.g, s.h, s.gz, s.hz, s.hzz, s.w, s.gx, s.hx, s.hxx, s.hxz};
}

nb::dict scan(const BoundKernels& self, const Floats& bins, const Floats& values, bool with_z,
              bool z_fixed, bool with_x, const ScanNumbers& numbers) {
  check_at_least(values.size(), 1, "values");
  const std::size_t n_bins = values.size() - 1;
  check_at_least(kCodes, values.size(), "codes");
  check_at_least(bins.size(), values.size() * kLanes, "bins");
  check_at_least(numbers.size(), 8, "numbers");
  const ScanProblem problem{.bins = bins.data(),
                            .values = values.data(),
                            .n_bins = n_bins,
                            .centre_z = numbers[0],
                            .with_z = with_z,
                            .z_fixed = z_fixed,
                            .with_x = with_x,
                            .l2 = numbers[1],
                            .ridge_z = numbers[2],
                            .ridge_x = numbers[3],
                            .min_weight = numbers[4],
                            .min_hessian = numbers[5],
                            .min_gain = numbers[6],
                            .gain_floor = numbers[7]};
  ScanResult result{};
  self.table->scan(problem, result);
  nb::dict found;
  found["valid"] = result.valid;
  if (!result.valid) return found;
  found["gain"] = result.gain;
  found["threshold"] = result.threshold;
  found["missing_left"] = result.missing_left;
  found["centre_x"] = result.centre_x;
  found["total"] = flat(result.total);
  found["left"] = flat(result.left);
  return found;
}

// bins: [panel][values][lane]; ridges, and offsets unless empty: of the regressors and the feature;
// numbers: centre and l2 of a WideScanProblem, then those from min_weight on.
nb::dict scan_wide(const BoundKernels& self, const Floats& bins, const Floats& values, bool with_x,
                   const std::vector<double>& ridges, const std::vector<double>& offsets,
                   const ScanNumbers& numbers) {
  check_at_least(values.size(), 1, "values");
  check_at_least(kCodes, values.size(), "codes");
  check_at_least(ridges.size(), 1, "ridges");
  const std::size_t k = ridges.size() - 1;
  if (!offsets.empty()) check_at_least(offsets.size(), k + 1, "offsets");
  check_at_least(bins.size(), wide_panels(k) * values.size() * kLanes, "bins");
  check_at_least(numbers.size(), 6, "numbers");
  const WideScanProblem problem{.bins = bins.data(),
                                .panel_stride = values.size() * kLanes,
                                .values = values.data(),
                                .n_bins = values.size() - 1,
                                .centre = numbers[0],
                                .n_regressors = k,
                                .with_x = with_x,
                                .l2 = numbers[1],
                                .ridges = ridges.data(),
                                .offsets = offsets.empty() ? nullptr : offsets.data(),
                                .min_weight = numbers[2],
                                .min_hessian = numbers[3],
                                .min_gain = numbers[4],
                                .gain_floor = numbers[5]};
  std::vector<double> scratch(wide_scratch(k));
  WideScanResult result{};
  self.table->scan_wide(problem, scratch.data(), result);
  nb::dict found;
  found["valid"] = result.valid;
  if (!result.valid) return found;
  found["gain"] = result.gain;
  found["threshold"] = result.threshold;
  found["missing_left"] = result.missing_left;
  if (with_x) found["keeps_x"] = std::vector<bool>{result.left_keeps_x, result.right_keeps_x};
  return found;
}

// nodes: [n][10] as in RouteNode.
void route(const BoundKernels& self, const Words& nodes, const Words& words,
           const Output<std::uint32_t>& node_of_row) {
  constexpr std::size_t kFields = sizeof(RouteNode) / sizeof(std::uint32_t);
  const std::size_t n = node_of_row.size();
  for (std::size_t i = 0; i < nodes.size(); i += kFields) {
    check_at_least(words.size(), nodes.data()[i] / 32 + n, "words");
    check_at_least(nodes.size() / kFields, nodes.data()[i + 1] + std::size_t{1}, "nodes");
  }
  self.table->route(reinterpret_cast<const RouteNode*>(nodes.data()), {words.data(), n},
                    node_of_row.data());
}

// One leaf, whose columns (group, shift, reference, slope) see rows [first, first + 65536) of code
// words, `stride` apart.
class BoundLeaf {
 public:
  using Columns = std::vector<std::vector<double>>;

  BoundLeaf(const Columns& columns, double intercept, const Floats& values, const Words& words,
            std::size_t stride)
      : values_(values.data(), values.data() + values.size()),
        words_(words.data(), words.data() + words.size()),
        n_rows_(stride),
        intercept_(intercept) {
    check_at_least(values.size(), kCodes, "values");
    for (const std::vector<double>& c : columns) {
      check_at_least(c.size(), 4, "a column");
      const auto group = static_cast<std::size_t>(c[0]);
      check_at_least(words.size(), (group + 1) * stride, "words");
      terms_.push_back({words_.data() + group * stride, static_cast<unsigned>(c[1]), values_.data(),
                        c[2], c[3]});
    }
  }

  LeafTerms terms() const { return {terms_.data(), terms_.size(), intercept_}; }

  LeafRows rows(std::size_t first, std::size_t n) const {
    check_at_least(n_rows_, first + n, "a column");
    return {first, nullptr, n};
  }

  LeafRows rows(std::size_t first, const Vector<std::uint16_t>& rows) const {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      check_at_least(n_rows_, first + rows.data()[i] + 1, "a column");
    }
    return {first, rows.data(), rows.size()};
  }

 private:
  std::vector<float> values_;
  std::vector<std::uint32_t> words_;
  std::size_t n_rows_;
  double intercept_;
  std::vector<LeafTerm> terms_;
};

// A table whose lanes are the rows of a matrix: g, h, w and then the columns of a leaf.
LeafTable table_of(const Output<double>& lanes, std::size_t stride, std::size_t n,
                   std::size_t n_columns, bool weighted) {
  check_at_least(stride, n + 8, "a lane");
  check_at_least(lanes.size(), (kTableX + n_columns) * stride, "lanes");
  return {lanes.data(), stride, n, n_columns, weighted};
}

void fetch_rows(const BoundKernels& self, const BoundLeaf& leaf, std::size_t first,
                const Vector<std::uint16_t>& rows, const MaybeFloats& g, const MaybeFloats& h,
                const MaybeFloats& w, std::size_t at, const Output<double>& lanes,
                std::size_t stride) {
  const LeafTerms terms = leaf.terms();
  const LeafRows chosen = leaf.rows(first, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const MaybeFloats* lane : {&g, &h, &w}) {
      if (*lane) check_at_least((*lane)->size(), first + rows.data()[i] + 1, "g, h and w");
    }
  }
  const LeafTable table = table_of(lanes, stride, at + rows.size(), terms.n_terms, w.has_value());
  self.table->fetch_rows(terms, chosen, {or_null(g), or_null(h), nullptr, or_null(w)}, at, table);
}

// Of rows [first, first + n).
void fetch_rows_together(const BoundKernels& self, const BoundLeaf& leaf, std::size_t first,
                         std::size_t n, const MaybeFloats& g, const MaybeFloats& h,
                         const MaybeFloats& w, std::size_t at, const Output<double>& lanes,
                         std::size_t stride) {
  const LeafTerms terms = leaf.terms();
  for (const MaybeFloats* lane : {&g, &h, &w}) {
    if (*lane) check_at_least((*lane)->size(), first + n, "g, h and w");
  }
  const LeafTable table = table_of(lanes, stride, at + n, terms.n_terms, w.has_value());
  self.table->fetch_rows(terms, leaf.rows(first, n), {or_null(g), or_null(h), nullptr, or_null(w)},
                         at, table);
}

void add_moments(const BoundKernels& self, const Output<double>& lanes, std::size_t stride,
                 std::size_t n, std::size_t n_columns, const Output<double>& moments) {
  check_at_least(moments.size(), moment_count(n_columns), "moments");
  self.table->add_moments(table_of(lanes, stride, n, n_columns, false), moments.data());
}

// fit: the mean, then means, inverse and factors as in LeftOutFit.
void add_left_out(const BoundKernels& self, const BoundLeaf& leaf, const std::vector<double>& fit,
                  const Output<double>& lanes, std::size_t stride, std::size_t n, bool weighted,
                  const Output<double>& scratch, const Output<double>& sums) {
  const LeafTerms terms = leaf.terms();
  const std::size_t k = terms.n_terms;
  check_at_least(fit.size(), 1 + 2 * k + k * (k - 1) / 2, "fit");
  check_at_least(scratch.size(), 8 * k, "scratch");
  check_at_least(sums.size(), kLeftOutSums, "sums");
  self.table->add_left_out(table_of(lanes, stride, n, k, weighted), terms,
                           {fit[0], fit.data() + 1, fit.data() + 1 + 2 * k, fit.data() + 1 + k},
                           scratch.data(), sums.data());
}

void leaf_outputs(const BoundKernels& self, const BoundLeaf& leaf, const Output<double>& lanes,
                  std::size_t stride, const Output<double>& outputs) {
  const LeafTerms terms = leaf.terms();
  self.table->leaf_outputs(table_of(lanes, stride, outputs.size(), terms.n_terms, false), terms,
                           outputs.data());
}

}  // namespace

using namespace nb::literals;

void bind_kernel_stages(nb::module_& stages) {
  nb::class_<BoundKernels>(stages, "Kernels")
      .def_prop_ro("name", [](const BoundKernels& self) { return std::string(self.table->name); })
      .def("fill_statistics", &fill_statistics, "g"_a, "h"_a.none(), "z"_a.none(), "w"_a.none(),
           "begin"_a, "n"_a, "out"_a)
      .def("fill_products", &fill_products, "left"_a, "right"_a, "begin"_a, "n"_a, "out"_a)
      .def("update_histogram", &update_histogram, "codes"_a, "statistics"_a, "n_slots"_a,
           "histogram"_a)
      .def("code_range", &code_range, "codes"_a, "missing"_a)
      .def("join_codes", &join_codes, "codes"_a, "join"_a, "out"_a)
      .def("mark_left", &mark_left, "codes"_a, "shift"_a, "left"_a, "goes_left"_a)
      .def("partition", &partition, "items"_a, "goes_left"_a, "left"_a, "right"_a, "n_lanes"_a = 1,
           "stride"_a = 0)
      .def("partition_codes", &partition_codes, "codes"_a, "goes_left"_a, "left"_a, "right"_a)
      .def("decay", &decay, "scores"_a, "out"_a)
      .def("update_z", &update_z, "codes"_a, "shift"_a, "contribution"_a, "slope_z"_a, "z"_a)
      .def("scan", &scan, "bins"_a, "values"_a, "with_z"_a, "z_fixed"_a, "with_x"_a, "numbers"_a)
      .def("scan_wide", &scan_wide, "bins"_a, "values"_a, "with_x"_a, "ridges"_a, "offsets"_a,
           "numbers"_a)
      .def("route", &route, "nodes"_a, "words"_a, "node_of_row"_a)
      .def("fetch_rows", &fetch_rows, "leaf"_a, "first"_a, "rows"_a, "g"_a.none(), "h"_a.none(),
           "w"_a.none(), "at"_a, "lanes"_a, "stride"_a)
      .def("fetch_rows_together", &fetch_rows_together, "leaf"_a, "first"_a, "n"_a, "g"_a.none(),
           "h"_a.none(), "w"_a.none(), "at"_a, "lanes"_a, "stride"_a)
      .def("add_moments", &add_moments, "lanes"_a, "stride"_a, "n"_a, "n_columns"_a, "moments"_a)
      .def("add_left_out", &add_left_out, "leaf"_a, "fit"_a, "lanes"_a, "stride"_a, "n"_a,
           "weighted"_a, "scratch"_a, "sums"_a)
      .def("leaf_outputs", &leaf_outputs, "leaf"_a, "lanes"_a, "stride"_a, "outputs"_a);
  nb::class_<BoundLeaf>(stages, "LeafTerms")
      .def(nb::init<const BoundLeaf::Columns&, double, const Floats&, const Words&, std::size_t>(),
           "columns"_a, "intercept"_a, "values"_a, "words"_a, "stride"_a);
  stages.def("moment_count", &moment_count, "n_columns"_a);
  stages.def("all_kernels", &all_kernels);
}

}  // namespace plboost::bindings
