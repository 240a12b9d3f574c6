#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/base/signal.hpp"

namespace plboost {

// Threads for one call of the library: started in the constructor, joined in the destructor, so
// that none lives between calls and a fork finds none. Nobody spins for long: the caller works on
// the chunks too and waits only for chunks that a worker has already started. A worker that the
// system wakes late finds nothing to do.
class ThreadPool {
 public:
  // n_threads counts the caller. Fewer are used when the system refuses more.
  explicit ThreadPool(int n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // How many can work at once, the caller included.
  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(chunk, worker) once for every chunk in [0, n_chunks), worker in [0, size()). Chunks
  // are shared out in runs, the same for the same n_chunks, so that a worker finds in its cache
  // what it has touched before; who is done early takes from the others. Which worker gets which
  // chunk is thus up to chance, and a body may use `worker` for scratch memory only.
  // The first exception of a body skips the chunks not yet started and is thrown here. Not to be
  // called from inside a body.
  template <typename Body>
  void run(std::size_t n_chunks, Body&& body) {
    if (n_chunks == 0) return;
    if (workers_.empty() || n_chunks == 1) {
      for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) body(chunk, std::size_t{0});
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    run_job(n_chunks, const_cast<void*>(static_cast<const void*>(&body)),
            [](void* context, std::size_t chunk, std::size_t worker) {
              (*static_cast<Plain*>(context))(chunk, worker);
            });
  }

  // The same for a range of items cut into pieces of `grain`: body(begin, end). Pieces do not
  // depend on the number of threads.
  template <typename Body>
  void run_range(std::size_t n_items, std::size_t grain, Body&& body) {
    run((n_items + grain - 1) / grain, [&](std::size_t chunk, std::size_t) {
      const std::size_t begin = chunk * grain;
      body(begin, begin + grain < n_items ? begin + grain : n_items);
    });
  }

 private:
  using Invoke = void (*)(void* context, std::size_t chunk, std::size_t worker);
  struct Job {
    Invoke invoke;
    void* context;
    std::exception_ptr error;  // guarded by the pool's mutex
  };
  // The chunks of one worker. Far enough apart not to share a cache line.
  struct alignas(128) Share {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  void run_job(std::size_t n_chunks, void* context, Invoke invoke);
  void work(std::size_t worker);
  void take_chunks(Job& job, std::size_t worker);

  std::mutex mutex_;
  Signal wake_workers_;
  Signal wake_caller_;
  Job* job_ = nullptr;        // open for workers to join; null once all chunks are taken
  std::size_t n_joined_ = 0;  // workers inside the job
  std::vector<Share> shares_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace plboost
