// One mistake per sanitizer. `tests/sanitize/run` makes each of them first and stops unless it is
// reported: a run without findings then means that there was something to find them.

#include <nanobind/nanobind.h>

#include <climits>
#include <memory>
#include <thread>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

int read_behind_the_end(std::size_t length) {
  const auto values = std::make_unique<int[]>(length);
  const int* first = values.get();
  return first[length];
}

int overflow(int value) { return INT_MAX - 1 + value; }

long race(int repetitions) {
  long counter = 0;
  const auto count = [&] {
    for (int i = 0; i < repetitions; ++i) ++counter;
  };
  std::thread other(count);
  count();
  other.join();
  return counter;
}

}  // namespace

NB_MODULE(sanitizer_canary, m) {
  m.def("read_behind_the_end", &read_behind_the_end, "length"_a);
  m.def("overflow", &overflow, "value"_a);
  m.def("race", &race, "repetitions"_a);
}
