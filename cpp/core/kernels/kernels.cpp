#include "core/kernels/kernels.hpp"

#include <cstdlib>
#include <string>

#include "core/base/error.hpp"

namespace plboost {
namespace {

const Kernels& choose() {
  const Kernels* tables[3];
  const std::size_t n = available_kernels(tables, 3);
  const char* forced = std::getenv("PLBOOST_ISA");
  if (forced == nullptr || *forced == '\0') return *tables[n - 1];
  std::string known;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::string(tables[i]->name) == forced) return *tables[i];
    known += (i == 0 ? "" : ", ") + std::string(tables[i]->name);
  }
  throw InvalidInput("PLBOOST_ISA must be one of " + known + " on this machine; got '" +
                     std::string(forced) + "'.");
}

}  // namespace

std::size_t available_kernels(const Kernels** tables, std::size_t capacity) {
  std::size_t n = 0;
  const auto add = [&](const Kernels& table) {
    if (n < capacity) tables[n++] = &table;
  };
  add(kBaselineKernels);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    add(kAvx2Kernels);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
      add(kAvx512Kernels);
    }
  }
#endif
  return n;
}

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace plboost
