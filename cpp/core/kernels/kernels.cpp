#include "core/kernels/kernels.hpp"

namespace plboost {

const Kernels& kernels() { return kBaselineKernels; }

}  // namespace plboost
