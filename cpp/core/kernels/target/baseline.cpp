#include "core/kernels/generic/codes.inl.hpp"
#include "core/kernels/generic/decay.inl.hpp"
#include "core/kernels/generic/histogram.inl.hpp"
#include "core/kernels/generic/leaves.inl.hpp"
#include "core/kernels/generic/partition.inl.hpp"
#include "core/kernels/generic/route.inl.hpp"
#include "core/kernels/generic/scan.inl.hpp"
#include "core/kernels/generic/wide_scan.inl.hpp"

namespace plboost {
namespace {

// Any processor.
struct Baseline {
  static constexpr std::size_t kDoubles = 2;  // in a register
};

}  // namespace

constinit const Kernels kBaselineKernels{
    .name = "baseline",
    .fill_statistics = generic::fill_statistics<Baseline>,
    .update_histogram = generic::update_histogram<Baseline>,
    .code_range = generic::code_range<Baseline>,
    .join_codes = generic::join_codes<Baseline>,
    .mark_left = generic::mark_left<Baseline>,
    .partition = generic::partition<Baseline>,
    .partition_codes = nullptr,
    .update_z = generic::update_z<Baseline>,
    .scan = generic::scan<Baseline>,
    .fill_products = generic::fill_products<Baseline>,
    .scan_wide = generic::scan_wide<Baseline>,
    .route = generic::route<Baseline>,
    .fetch_rows = generic::fetch_rows<Baseline>,
    .add_moments = generic::add_moments<Baseline>,
    .add_left_out = generic::add_left_out<Baseline>,
    .leaf_outputs = generic::leaf_outputs<Baseline>,
    .decay = generic::decay<Baseline>,
};

}  // namespace plboost
