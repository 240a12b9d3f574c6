#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace plboost {

inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Locks what is never held for long: sooner than one would be put to sleep and woken.
inline void lock_soon(std::unique_lock<std::mutex>& lock) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    if (lock.try_lock()) return;
    pause_briefly();
  }
  lock.lock();
}

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
      lock_soon(lock);
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
      for (int i = 0; i < 8; ++i) pause_briefly();
    }
  }

  std::atomic<std::size_t> n_given_{0};
  std::condition_variable condition_;
};

}  // namespace plboost
