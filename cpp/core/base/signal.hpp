#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace plboost {

// A condition variable. To be woken by the system takes as long as a small job of a small tree, so
// one who waits first looks out for a signal: as long as the gap between two jobs usually is, too
// short to keep a processor from others.
class Signal {
 public:
  void notify_one() {
    n_given_.fetch_add(1, std::memory_order_release);
    condition_.notify_one();
  }

  void notify_all() {
    n_given_.fetch_add(1, std::memory_order_release);
    condition_.notify_all();
  }

  // Returns when is_over(), which is called under the lock.
  template <typename IsOver>
  void wait(std::unique_lock<std::mutex>& lock, IsOver&& is_over) {
    while (!is_over()) {
      const std::size_t seen = n_given_.load(std::memory_order_relaxed);
      lock.unlock();
      look_out(seen);
      lock.lock();
      if (is_over()) return;
      if (n_given_.load(std::memory_order_relaxed) == seen) condition_.wait(lock);
    }
  }

 private:
  void look_out(std::size_t seen) const {
    constexpr std::chrono::microseconds kLongest{50};
    const auto until = std::chrono::steady_clock::now() + kLongest;
    while (n_given_.load(std::memory_order_acquire) == seen) {
      if (std::chrono::steady_clock::now() >= until) return;
#if defined(__x86_64__)
      for (int i = 0; i < 8; ++i) __builtin_ia32_pause();
#endif
    }
  }

  std::atomic<std::size_t> n_given_{0};
  std::condition_variable condition_;
};

}  // namespace plboost
