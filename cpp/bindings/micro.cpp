#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/modules.hpp"
#include "core/base/aligned_buffer.hpp"
#include "core/kernels/kernels.hpp"

// Kernels of one named instruction set, run many times on given arrays, beside plain loops that
// mark the machine's limit. For benchmarks/micro.

namespace plboost::bindings {
namespace {

std::vector<std::string> table_names() {
  const Kernels* tables[3];
  const std::size_t n = available_kernels(tables, 3);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.emplace_back(tables[i]->name);
  return names;
}

const Kernels& table_named(const std::string& name) {
  const Kernels* tables[3];
  const std::size_t n = available_kernels(tables, 3);
  for (std::size_t i = 0; i < n; ++i) {
    if (name == tables[i]->name) return *tables[i];
  }
  std::string known;
  for (const std::string& other : table_names()) known += (known.empty() ? "" : ", ") + other;
  throw InvalidInput("table must be one of " + known + " on this machine, got '" + name + "'.");
}

// Memory may have changed: keeps the compiler from leaving out work whose result nobody reads.
void forget_memory() { __asm__ volatile("" : : : "memory"); }

template <typename Body>
double seconds_per_call(std::size_t n_calls, Body&& body) {
  if (n_calls == 0) throw InvalidInput("n_calls must be at least 1, got 0.");
  const nb::gil_scoped_release unlocked;
  body();
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < n_calls; ++i) {
    body();
    forget_memory();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(n_calls);
}

std::size_t rows_of(const Vector<float>& statistics) {
  const std::size_t rows = statistics.size() / kLanes;
  if (rows == 0) throw InvalidInput("statistics must hold at least one row of eight lanes.");
  return rows;
}

// The group's histogram of all rows; the statistics of one block serve every block.
double time_histogram(const std::string& table, const Vector<std::uint32_t>& words,
                      const Vector<float>& statistics, std::size_t n_calls) {
  const Kernels& kernels = table_named(table);
  const std::size_t block = rows_of(statistics);
  AlignedBuffer<float> histogram(kGroupFloats);
  std::fill_n(histogram.data(), kGroupFloats, 0.0F);
  return seconds_per_call(n_calls, [&] {
    for (std::size_t begin = 0; begin < words.size(); begin += block) {
      kernels.update_histogram(words.data() + begin, statistics.data(),
                               std::min(block, words.size() - begin), kGroupSlots,
                               histogram.data());
    }
  });
}

typedef float Float8 __attribute__((vector_size(32), aligned(4), may_alias));

[[gnu::always_inline]] inline void add_to(float* bin, const Float8& row) {
  *reinterpret_cast<Float8*>(bin) += row;
}

constexpr std::size_t kLimitStep = kSlotFloats + 40 * kLanes;

// The bins that the limit loop goes round in, and how many it goes on from one row to the next.
struct Round {
  std::size_t last_bin;
  std::size_t step;
};

// What update_histogram does, but to bins whose addresses are known beforehand: four additions of
// eight lanes to memory for each row, and nothing else. It goes round in as many bins of each slot
// as the histogram has, rounded up to a power of two: 255 bins of four features fill a first-level
// cache of 32 KiB, whatever adds to them. Bin after bin is no limit for rows, whose bins are
// anywhere: two neighbours lie in one line of the cache, and processors that write a line at a time
// write them as one (measured: a third less time). Each slot is some bins ahead of the one before
// it: addresses whose last 12 bits agree would wait for each other.
// Written out, because the bindings are compiled for size, which keeps loops as they are.
[[gnu::always_inline]] inline void store_and_add(const float* statistics, std::size_t n,
                                                 const Round& round, float* histogram) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Float8 row = *reinterpret_cast<const Float8*>(statistics + i * kLanes);
    float* bin = histogram + (place & round.last_bin) * kLanes;
    add_to(bin, row);
    add_to(bin + kLimitStep, row);
    add_to(bin + 2 * kLimitStep, row);
    add_to(bin + 3 * kLimitStep, row);
    place += round.step;
  }
}

[[gnu::noinline]] void limit_baseline(const float* statistics, std::size_t n, const Round& round,
                                      float* histogram) {
  store_and_add(statistics, n, round, histogram);
}

#if defined(__x86_64__)
[[gnu::noinline, gnu::target("avx2")]] void limit_avx2(const float* statistics, std::size_t n,
                                                       const Round& round, float* histogram) {
  store_and_add(statistics, n, round, histogram);
}
#endif

double time_histogram_limit(const std::string& table, std::size_t n_rows, std::size_t n_bins,
                            std::size_t step, const Vector<float>& statistics,
                            std::size_t n_calls) {
  const Kernels& kernels = table_named(table);
  if (n_bins < 1 || n_bins > kCodes) {
    throw InvalidInput("n_bins must be from 1 to 256, got " + std::to_string(n_bins) + ".");
  }
  auto* loop = &limit_baseline;
#if defined(__x86_64__)
  if (&kernels != &kBaselineKernels) loop = &limit_avx2;
#endif
  const std::size_t block = rows_of(statistics);
  const Round round{std::bit_ceil(n_bins) - 1, step};
  AlignedBuffer<float> histogram(3 * kLimitStep + kSlotFloats);
  std::fill_n(histogram.data(), histogram.size(), 0.0F);
  return seconds_per_call(n_calls, [&] {
    for (std::size_t begin = 0; begin < n_rows; begin += block) {
      loop(statistics.data(), std::min(block, n_rows - begin), round, histogram.data());
    }
  });
}

void check_bits(const Vector<std::uint64_t>& goes_left, std::size_t n) {
  if (goes_left.size() >= (n + 63) / 64) return;
  throw InvalidInput("goes_left must have a bit for each of " + std::to_string(n) + " items, got " +
                     std::to_string(goes_left.size()) + " words of 64.");
}

// Lane after lane in `items`, as many bits as a lane has items.
double time_partition(const std::string& table, const Vector<std::uint32_t>& items,
                      std::size_t n_lanes, const Vector<std::uint64_t>& goes_left,
                      std::size_t n_calls) {
  if (n_lanes == 0) throw InvalidInput("n_lanes must be at least 1, got 0.");
  const std::size_t n = items.size() / n_lanes;
  check_bits(goes_left, n);
  AlignedBuffer<std::uint32_t> left(items.size());
  AlignedBuffer<std::uint32_t> right(items.size());
  const ItemLanes lanes{.items = reinterpret_cast<const std::byte*>(items.data()),
                        .left = reinterpret_cast<std::byte*>(left.data()),
                        .right = reinterpret_cast<std::byte*>(right.data()),
                        .stride = n * sizeof(std::uint32_t),
                        .n_lanes = n_lanes};
  const auto partition = table_named(table).partition;
  return seconds_per_call(n_calls, [&] { partition(lanes, goes_left.data(), n); });
}

// None: the instruction set has no bit extraction.
std::optional<double> time_partition_codes(const std::string& table,
                                           const Vector<std::uint8_t>& codes,
                                           const Vector<std::uint64_t>& goes_left,
                                           std::size_t n_calls) {
  const auto partition = table_named(table).partition_codes;
  if (partition == nullptr) return std::nullopt;
  const std::size_t n = codes.size();
  check_bits(goes_left, n);
  AlignedBuffer<std::byte> left(n);
  AlignedBuffer<std::byte> right(n);
  return seconds_per_call(n_calls, [&] {
    partition(reinterpret_cast<const std::byte*>(codes.data()), goes_left.data(), n, left.data(),
              right.data());
  });
}

double time_copy(const Vector<std::uint32_t>& items, std::size_t n_calls) {
  AlignedBuffer<std::uint32_t> to(items.size());
  return seconds_per_call(n_calls, [&] {
    std::memcpy(to.data(), items.data(), items.size() * sizeof(std::uint32_t));
    forget_memory();
  });
}

double time_scan(const std::string& table, const Vector<float>& bins, const Vector<float>& values,
                 bool with_z, bool with_x, std::size_t n_calls) {
  const Kernels& kernels = table_named(table);
  const std::size_t n = values.size();
  if (n < 2 || n > kCodes || bins.size() != n * kLanes) {
    throw InvalidInput("values must have 2 to 256 elements and bins eight for each, got " +
                       std::to_string(n) + " and " + std::to_string(bins.size()) + ".");
  }
  ScanProblem problem{};
  problem.bins = bins.data();
  problem.values = values.data();
  problem.n_bins = n - 1;
  problem.with_z = with_z;
  problem.with_x = with_x;
  problem.l2 = problem.ridge_z = problem.ridge_x = 0.1;
  problem.min_weight = 20.0;
  problem.min_hessian = 1e-3;
  ScanResult result{};
  const double seconds = seconds_per_call(n_calls, [&] { kernels.scan(problem, result); });
  // A scan that turns back early would look fast.
  if (!result.valid) throw InvalidInput("bins must allow a cut; are the rows of a bin counted?");
  return seconds;
}

}  // namespace

using namespace nb::literals;

void bind_micro(nb::module_& module) {
  nb::module_ micro =
      module.def_submodule("micro", "Seconds per call of single kernels, for benchmarks.");
  micro.def("table_names", &table_names);
  micro.def("time_histogram", &time_histogram, "table"_a, "words"_a, "statistics"_a, "n_calls"_a);
  micro.def("time_histogram_limit", &time_histogram_limit, "table"_a, "n_rows"_a, "n_bins"_a,
            "step"_a, "statistics"_a, "n_calls"_a);
  micro.def("time_partition", &time_partition, "table"_a, "items"_a, "n_lanes"_a, "goes_left"_a,
            "n_calls"_a);
  micro.def("time_partition_codes", &time_partition_codes, "table"_a, "codes"_a, "goes_left"_a,
            "n_calls"_a);
  micro.def("time_copy", &time_copy, "items"_a, "n_calls"_a);
  micro.def("time_scan", &time_scan, "table"_a, "bins"_a, "values"_a, "with_z"_a, "with_x"_a,
            "n_calls"_a);
}

}  // namespace plboost::bindings
