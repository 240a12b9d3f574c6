#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/aligned_buffer.hpp"

namespace plboost {

// Histograms that outlive the search of their node because its children's will be had by
// subtraction. Memory is reused, never refused: which nodes keep one must not depend on which
// thread asks first. Safe to use from many threads.
class HistogramPool {
 public:
  explicit HistogramPool(std::size_t histogram_floats) : floats_(histogram_floats) {}

  // A histogram that returns to the pool when it goes out of scope; may be empty.
  class Handle {
   public:
    Handle() = default;
    Handle(HistogramPool* pool, AlignedBuffer<float> buffer)
        : pool_(pool), buffer_(std::move(buffer)) {}
    Handle(Handle&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), buffer_(std::move(other.buffer_)) {}
    Handle& operator=(Handle&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(buffer_, other.buffer_);
      return *this;
    }
    ~Handle() {
      if (pool_ != nullptr) pool_->give_back(std::move(buffer_));
    }
    float* data() { return pool_ == nullptr ? nullptr : buffer_.data(); }
    explicit operator bool() const { return pool_ != nullptr; }

   private:
    HistogramPool* pool_ = nullptr;
    AlignedBuffer<float> buffer_;
  };

  Handle take() {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      AlignedBuffer<float> buffer = std::move(free_.back());
      free_.pop_back();
      return {this, std::move(buffer)};
    }
    return {this, AlignedBuffer<float>(floats_)};
  }

 private:
  void give_back(AlignedBuffer<float> buffer) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }

  std::mutex mutex_;
  std::size_t floats_;
  std::vector<AlignedBuffer<float>> free_;
};

}  // namespace plboost
