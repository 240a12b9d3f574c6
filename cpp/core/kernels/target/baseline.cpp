#include "core/kernels/generic/histogram.inl.hpp"
#include "core/kernels/generic/partition.inl.hpp"

namespace plboost {
namespace {

// Any processor: the compiler's own choice for eight float32.
struct Baseline {
  struct Lanes {
    float at[kLanes];
  };
  static Lanes load(const float* from) {
    Lanes lanes;
    for (std::size_t i = 0; i < kLanes; ++i) lanes.at[i] = from[i];
    return lanes;
  }
  static void store(float* to, const Lanes& lanes) {
    for (std::size_t i = 0; i < kLanes; ++i) to[i] = lanes.at[i];
  }
  static Lanes add(const Lanes& a, const Lanes& b) {
    Lanes sum;
    for (std::size_t i = 0; i < kLanes; ++i) sum.at[i] = a.at[i] + b.at[i];
    return sum;
  }
};

}  // namespace

const Kernels kBaselineKernels{
    .name = "baseline",
    .fill_statistics = generic::fill_statistics<Baseline>,
    .update_histogram = generic::update_histogram<Baseline>,
    .partition = generic::partition<Baseline>,
};

}  // namespace plboost
