#pragma once

#include <cstddef>

namespace plboost {

// Makes memory that another worker has written the caller's own before it is read. A line that two
// processors have read is shared, and whoever writes to it next waits for the other; one that is
// written to changes hands at once (docs/adr/0020-rows-stay-with-their-worker.md). Nobody else may
// use these items at the same time.
template <typename T>
void take_over(const T* items, std::size_t n) {
  constexpr std::size_t kLineItems = 64 / sizeof(T);
  if (n == 0) return;
  auto* own = const_cast<volatile T*>(items);
  for (std::size_t i = 0; i < n; i += kLineItems) own[i] = own[i];
  own[n - 1] = own[n - 1];
}

}  // namespace plboost
