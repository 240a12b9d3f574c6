#include "core/kernels/generic/codes.inl.hpp"
#include "core/kernels/generic/decay.inl.hpp"
#include "core/kernels/generic/histogram.inl.hpp"
#include "core/kernels/generic/leaves.inl.hpp"
#include "core/kernels/generic/partition.inl.hpp"
#include "core/kernels/generic/route.inl.hpp"
#include "core/kernels/generic/scan.inl.hpp"
#include "core/kernels/generic/wide_scan.inl.hpp"
#include "core/kernels/target/avx512.inl.hpp"
#include "core/kernels/target/bmi2.inl.hpp"

namespace plboost {
namespace {

// F, BW, DQ, VL.
struct Avx512 {
  static constexpr std::size_t kDoubles = 8;  // in a register

  static generic::Double8 widened(generic::Float8 floats) {
    return generic::Double8(_mm512_cvtps_pd(__m256(floats)));
  }
};

}  // namespace

constinit const Kernels kAvx512Kernels{
    .name = "avx512",
    .fill_statistics = generic::fill_statistics<Avx512>,
    .update_histogram = generic::update_histogram<Avx512>,
    .code_range = generic::code_range<Avx512>,
    .join_codes = generic::join_codes<Avx512>,
    .mark_left = avx512::mark_left<Avx512>,
    .partition = avx512::partition<Avx512>,
    .partition_codes = bmi2::partition_codes<Avx512>,
    .update_z = avx512::update_z<Avx512>,
    .scan = generic::scan<Avx512>,
    .fill_products = generic::fill_products<Avx512>,
    .scan_wide = generic::scan_wide<Avx512>,
    .route = generic::route_together<Avx512, avx512::mark_left<Avx512>>,
    .fetch_rows = generic::fetch_rows<Avx512, avx512::GatherReader>,
    .add_moments = generic::add_moments<Avx512>,
    .add_left_out = generic::add_left_out<Avx512>,
    .leaf_outputs = generic::leaf_outputs<Avx512>,
    .decay = generic::decay<Avx512>,
};

}  // namespace plboost
