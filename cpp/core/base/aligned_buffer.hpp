#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace plboost {

// A fixed-size array on a cache-line boundary whose elements start uninitialised: vectors of plain
// numbers that are about to be written anyway.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::align_val_t kAlignment{64};

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(::operator new(size * sizeof(T), kAlignment))),
        size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  struct Release {
    void operator()(T* data) const { ::operator delete(data, kAlignment); }
  };
  std::unique_ptr<T, Release> data_;
  std::size_t size_ = 0;
};

}  // namespace plboost
