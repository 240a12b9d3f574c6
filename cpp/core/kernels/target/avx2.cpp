#include "core/kernels/generic/codes.inl.hpp"
#include "core/kernels/generic/decay.inl.hpp"
#include "core/kernels/generic/histogram.inl.hpp"
#include "core/kernels/generic/leaves.inl.hpp"
#include "core/kernels/generic/partition.inl.hpp"
#include "core/kernels/generic/route.inl.hpp"
#include "core/kernels/generic/scan.inl.hpp"
#include "core/kernels/generic/wide_scan.inl.hpp"
#include "core/kernels/target/avx2.inl.hpp"
#include "core/kernels/target/bmi2.inl.hpp"

namespace plboost {
namespace {

// AVX2 and BMI2.
struct Avx2 {
  static constexpr std::size_t kDoubles = 4;  // in a register
};

}  // namespace

constinit const Kernels kAvx2Kernels{
    .name = "avx2",
    .fill_statistics = generic::fill_statistics<Avx2>,
    .update_histogram = generic::update_histogram<Avx2>,
    .code_range = generic::code_range<Avx2>,
    .join_codes = generic::join_codes<Avx2>,
    .mark_left = avx2::mark_left<Avx2>,
    .partition = avx2::partition<Avx2>,
    .partition_codes = bmi2::partition_codes<Avx2>,
    .update_z = generic::update_z<Avx2>,
    .scan = generic::scan<Avx2>,
    .fill_products = generic::fill_products<Avx2>,
    .scan_wide = generic::scan_wide<Avx2>,
    .route = generic::route_together<Avx2, avx2::mark_left<Avx2>>,
    .fetch_rows = generic::fetch_rows<Avx2>,
    .add_moments = generic::add_moments<Avx2>,
    .add_left_out = generic::add_left_out<Avx2>,
    .leaf_outputs = generic::leaf_outputs<Avx2>,
    .decay = generic::decay<Avx2>,
};

}  // namespace plboost
