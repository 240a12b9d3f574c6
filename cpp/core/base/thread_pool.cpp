#include "core/base/thread_pool.hpp"

#include <system_error>

namespace plboost {

ThreadPool::ThreadPool(int n_threads)
    : shares_(static_cast<std::size_t>(n_threads > 1 ? n_threads : 1)) {
  workers_.reserve(n_threads > 1 ? static_cast<std::size_t>(n_threads - 1) : 0);
  for (int worker = 1; worker < n_threads; ++worker) {
    try {
      workers_.emplace_back([this, worker] { work(static_cast<std::size_t>(worker)); });
    } catch (const std::system_error&) {
      break;  // out of threads: the results are the same with fewer
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_workers_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_job(std::size_t n_chunks, void* context, Invoke invoke) {
  Job job{.invoke = invoke, .context = context, .error = nullptr};
  const auto n_workers = static_cast<std::size_t>(size());
  for (std::size_t worker = 0; worker < n_workers; ++worker) {
    shares_[worker].next.store(worker * n_chunks / n_workers, std::memory_order_relaxed);
    shares_[worker].end = (worker + 1) * n_chunks / n_workers;
  }
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
  }
  if (n_chunks > workers_.size()) {
    wake_workers_.notify_all();
  } else {
    for (std::size_t i = 1; i < n_chunks; ++i) wake_workers_.notify_one();
  }
  take_chunks(job, 0);
  std::unique_lock lock(mutex_);
  job_ = nullptr;
  wake_caller_.wait(lock, [this] { return n_joined_ == 0; });
  if (job.error) std::rethrow_exception(job.error);
}

void ThreadPool::work(std::size_t worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_workers_.wait(lock, [this] { return stopping_ || job_ != nullptr; });
    if (stopping_) return;
    Job* job = job_;
    ++n_joined_;
    lock.unlock();
    take_chunks(*job, worker);
    lock.lock();
    if (job_ == job) job_ = nullptr;  // every chunk is taken: nobody else need wake for it
    if (--n_joined_ == 0) wake_caller_.notify_one();
  }
}

void ThreadPool::take_chunks(Job& job, std::size_t worker) {
  const auto n_workers = static_cast<std::size_t>(size());
  for (std::size_t i = 0; i < n_workers; ++i) {
    Share& share = shares_[(worker + i) % n_workers];
    for (;;) {
      const std::size_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= share.end) break;
      try {
        job.invoke(job.context, chunk, worker);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!job.error) job.error = std::current_exception();
        for (Share& each : shares_) each.next.store(each.end, std::memory_order_relaxed);
      }
    }
  }
}

}  // namespace plboost
