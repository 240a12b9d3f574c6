#pragma once

#include <cstddef>
#include <cstdint>

namespace plboost {

// Shapes that every kernel agrees on.
inline constexpr std::size_t kGroupSlots = 4;  // codes that share one 32-bit word
inline constexpr std::size_t kCodes = 256;     // codes are bytes
inline constexpr std::size_t kLanes = 8;       // one row's statistics: one vector of eight float32
inline constexpr std::size_t kSlotFloats = kCodes * kLanes;             // the histogram of one slot
inline constexpr std::size_t kGroupFloats = kGroupSlots * kSlotFloats;  // of one group: 32 KB

// Which lane holds what. Five sums suffice for half-additive fitting because a bin's x is a
// constant (the bin mean). The others sum weights and count rows: counts are exact, also after a
// subtraction, and tell an empty bin from one of rounding.
inline constexpr std::size_t kG = 0, kH = 1, kGZ = 2, kHZ = 3, kHZZ = 4, kW = 5, kN = 6;

// The rows of a node, in leaf order. A null pointer stands for a lane that is the same in all rows:
// 1 for h and w, 0 for z.
struct RowStatistics {
  const float* g;
  const float* h;
  const float* z;
  const float* w;
};

// The smallest and the largest code of each of the four bytes of some words, the missing values'
// left out; 255 and 0 where there are no others.
struct CodeRange {
  std::uint32_t low;
  std::uint32_t high;
};

// What becomes of each of the four codes of a word when neighbouring bins are joined and the empty
// ones before the first are left out: half of it, or a quarter, or both, less the first. The
// missing value's keeps a code of its own.
struct CodeJoin {
  std::uint32_t missing;         // its codes
  std::uint32_t joined_missing;  // what becomes of them
  std::uint32_t once;            // 0xff in the bytes that are halved
  std::uint32_t twice;           // 0xff in those that are quartered
  std::uint32_t first;
};

// One feature of a node for the split scan with the centred ridge.
struct ScanProblem {
  const float* bins;    // [n_bins + 1][kLanes], the missing value's statistics last
  const float* values;  // [n_bins] standardised values; the missing value's is 0
  std::size_t n_bins;
  double centre_z;  // the node's mean of z, or a number near it
  bool with_z;      // the node has regressors
  bool z_fixed;     // additive fitting: their slopes stay as they are
  bool with_x;      // the feature brings its column
  double l2;        // on the mean output
  double ridge_z;   // on the slopes of z and x
  double ridge_x;
  double min_weight;  // of a child
  double min_hessian;
  double min_gain;
  double gain_floor;  // relative to the node's loss
};

// Sums of one child around the node's means of z and x.
struct ScanSums {
  double g, h, gz, hz, hzz, w;
  double gx, hx, hxx, hxz;
};

struct ScanResult {
  bool valid;
  double gain;
  std::size_t threshold;
  bool missing_left;
  double centre_x;  // the node's mean
  ScanSums total;
  ScanSums left;
};

// Eight lanes of rows' statistics, each the product of two columns. A null column is 1 in all rows.
struct ProductLanes {
  const float* left[kLanes];
  const float* right[kLanes];
};

// Fully corrective fitting with k regressors x_j needs these sums, in panels of eight lanes:
// w, h, g | h x_j | g x_j | h x_j x_l for l <= j.
inline constexpr std::size_t kWideW = 0, kWideH = 1, kWideG = 2, kWideHX = 3;
// Never a symbol of its own: kernels use it.
[[gnu::always_inline]] inline constexpr std::size_t wide_panels(std::size_t k) {
  return (kWideHX + 2 * k + k * (k + 1) / 2 + kLanes - 1) / kLanes;
}
// Of those, how many hold what is taken times the candidate feature, too: w, h, g, h x_j.
[[gnu::always_inline]] inline constexpr std::size_t feature_panels(std::size_t k) {
  return (kWideHX + k + kLanes - 1) / kLanes;
}

// One feature of a node for the split scan that solves every slope anew.
struct WideScanProblem {
  const float* bins;         // [panel][n_bins + 1][kLanes], the missing value's statistics last
  std::size_t panel_stride;  // from one panel to the next, in floats
  const float* values;       // [n_bins] standardised values; the missing value's is 0
  std::size_t n_bins;
  double centre;  // the feature's mean in the node
  std::size_t n_regressors;
  bool with_x;            // the feature brings its column, behind the regressors'
  double l2;              // on the mean output
  const double* ridges;   // [k + 1] on the slopes, the feature's last
  const double* offsets;  // [k + 1] for the paper's penalty: how far the columns' centres are from
                          // the user's 0. Null: the centred ridge
  double min_weight;      // of a child
  double min_hessian;
  double min_gain;
  double gain_floor;  // relative to the node's loss
};

struct WideScanResult {
  bool valid;
  double gain;
  std::size_t threshold;
  bool missing_left;
  bool left_keeps_x;  // the feature's column was not dropped
  bool right_keeps_x;
};

// Lanes of 32-bit items of any type, all of the same rows, that a split takes apart.
struct ItemLanes {
  const std::byte* items;  // of the first lane
  std::byte* left;         // where its items go
  std::byte* right;
  std::size_t stride;  // bytes from one lane to the next, on all three sides
  std::size_t n_lanes;
};

// A node as rows of codes see it on their way down. Leaves lead to themselves.
struct RouteNode {
  // 32 times where the code words of the split's group begin in a block, plus where in the word the
  // code lies.
  std::uint32_t place;
  std::uint32_t child;    // the left child; the right one follows it
  std::uint32_t left[8];  // one bit per code: goes left
};

// A piece of the data set: code words of n rows, group after group.
struct CodeBlock {
  const std::uint32_t* words;
  std::size_t n;
};

// One column of a leaf's model in terms of codes.
struct LeafTerm {
  const std::uint32_t* words;  // of the feature's group, all rows
  unsigned shift;              // where in the word the code lies
  const float* values;         // standardised value by code
  double reference;            // near the leaf's values: moments are taken around it
  double slope;                // once fitted
};

// A leaf's model: f = intercept + sum of slope * (value - reference).
struct LeafTerms {
  const LeafTerm* terms;
  std::size_t n_terms;
  double intercept;
};

// Rows of a leaf: `first` + rows[i], or where rows is null `first` + i: rows side by side.
struct LeafRows {
  std::size_t first;
  const std::uint16_t* rows;
  std::size_t n;
};

// Rows of a leaf side by side, as its fit takes them: lanes of g, h, w and then of value -
// reference for each of its columns. Eight numbers behind the last row are 0, so that rows can be
// taken eight at a time.
struct LeafTable {
  double* lanes;
  std::size_t stride;  // from one lane to the next: at least n + 8
  std::size_t n;
  std::size_t n_columns;
  bool weighted;  // otherwise w is not there: all rows weigh 1
};
inline constexpr std::size_t kTableG = 0, kTableH = 1, kTableW = 2, kTableX = 3;

// Sums that the fit of a leaf with k regressors needs: h x_j x_l for l <= j <= k, x_0 = 1, row
// after row; then g x_j.
inline constexpr std::size_t moment_count(std::size_t k) { return (k + 1) * (k + 2) / 2 + k + 1; }

// What it takes to leave rows out of a leaf's fit: its normal equations LDL', around the means of
// the columns.
struct LeftOutFit {
  double mean;            // output, which stays as it is
  const double* means;    // [k] of value - reference
  const double* factors;  // [k (k - 1) / 2] L below its diagonal, row after row
  const double* inverse;  // [k] of the diagonal D; 0: the column has no part in the fit
};

// With p what the slopes say of a row when one unit of its weight is left out of their fit: the sum
// of -(g + h mean) p, then that of h p^2.
inline constexpr std::size_t kLeftOutSums = 2;
// 1 - leverage of a row, at least.
inline constexpr double kLeastRest = 0.01;

// Doubles of scratch memory for the scan with k regressors.
inline constexpr std::size_t wide_scratch(std::size_t k) {
  const std::size_t n_vectors = wide_panels(k) + feature_panels(k);
  return 8 * n_vectors * (2 + kCodes + 2 * 8) + 8 * ((k + 1) * (k + 2) / 2 + 3 * (k + 1));
}

// The functions with a version per instruction set. Every version computes the same bits.
struct Kernels {
  const char* name;

  // out[i] = [g, h, gz, hz, hzz, w, 1, 0] of row begin + i.
  void (*fill_statistics)(const RowStatistics& rows, std::size_t begin, std::size_t n, float* out);

  // histogram[slot][code][lane] += statistics[i][lane] for the first n_slots slots of the group's
  // code words.
  void (*update_histogram)(const std::uint32_t* codes, const float* statistics, std::size_t n,
                           std::size_t n_slots, float* histogram);

  // Of n code words.
  CodeRange (*code_range)(const std::uint32_t* codes, std::size_t n, std::uint32_t missing);

  // out[i] = codes[i], joined.
  void (*join_codes)(const std::uint32_t* codes, std::size_t n, const CodeJoin& join,
                     std::uint32_t* out);

  // Bit i % 64 of word i / 64 is set when that of row i's code is set in `left`, one bit per code.
  // Returns how many are set.
  std::size_t (*mark_left)(const std::uint32_t* codes, unsigned shift, const std::uint32_t* left,
                           std::size_t n, std::uint64_t* goes_left);

  // Stable split of n rows by a bit vector: the items of set bits go to the left, the others to the
  // right, in order.
  void (*partition)(const ItemLanes& lanes, const std::uint64_t* goes_left, std::size_t n);

  // The same for a lane of single bytes, by the paper's bit extraction. Null where there is no
  // BMI2. Training has no use for it: codes come in words of four, which `partition` moves faster
  // (docs/adr/0003-vector-types.md). Kept to be measured.
  void (*partition_codes)(const std::byte* codes, const std::uint64_t* goes_left, std::size_t n,
                          std::byte* left, std::byte* right);

  // z[i] = slope_z z[i] + contribution[code of row i], in float32.
  void (*update_z)(const std::uint32_t* codes, unsigned shift, const float* contribution,
                   float slope_z, std::size_t n, float* z);

  // The best cut of one feature.
  void (*scan)(const ScanProblem& problem, ScanResult& result);

  // out[i] = the eight products of row begin + i.
  void (*fill_products)(const ProductLanes& lanes, std::size_t begin, std::size_t n, float* out);

  // The best cut of one feature when every slope of the children is solved anew.
  void (*scan_wide)(const WideScanProblem& problem, double* scratch, WideScanResult& result);

  // The leaf's node of each row of the block.
  void (*route)(const RouteNode* nodes, const CodeBlock& block, std::uint32_t* node_of_row);

  // Writes the given rows of a leaf into its table, the first at `at`, and 0 behind the last.
  // statistics.z has no part; where g is null only the columns are written.
  void (*fetch_rows)(const LeafTerms& leaf, const LeafRows& rows, const RowStatistics& statistics,
                     std::size_t at, const LeafTable& table);

  // Adds to the moments of a leaf those of the rows of a table.
  void (*add_moments)(const LeafTable& table, double* moments);

  // Adds to the sums of a leaf those of the rows of a table, each of them left out. Scratch memory:
  // eight doubles for each column.
  void (*add_left_out)(const LeafTable& table, const LeafTerms& leaf, const LeftOutFit& fit,
                       double* scratch, double* sums);

  // The leaf's output for the rows of a table.
  void (*leaf_outputs)(const LeafTable& table, const LeafTerms& leaf, double* outputs);

  // out[i] = exp(-|scores[i]|), but never below 1e-308.
  void (*decay)(const double* scores, std::size_t n, double* out);
};

// The table in use: the best that this machine has, or the one that PLBOOST_ISA names.
const Kernels& kernels();

// Every table that this machine can run, the plainest first.
std::size_t available_kernels(const Kernels** tables, std::size_t capacity);

extern const Kernels kBaselineKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;

}  // namespace plboost
