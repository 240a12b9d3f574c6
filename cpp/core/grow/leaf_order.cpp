#include "core/grow/leaf_order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace plboost {
namespace {

constexpr std::size_t kItemBytes = 4;
// Rows per task when a pass over a node is cut up: a multiple of the 64 rows of a bit word.
constexpr std::size_t kGrain = 4096;
// What the buffers that workers have of their own may take, all together.
constexpr std::size_t kOwnBytes = std::size_t{16} << 20;
constexpr std::size_t kSharedBuffers = 2;
constexpr std::size_t kOwnBuffers = 2;  // of each worker
constexpr std::size_t kLineItems = 64 / kItemBytes;

// Runs body(begin, end) over [0, n), by the pool if there is one.
template <typename Body>
void over_range(ThreadPool* pool, std::size_t n, std::size_t grain, Body&& body) {
  if (pool == nullptr) {
    if (n > 0) body(std::size_t{0}, n);
  } else {
    pool->run_range(n, grain, body);
  }
}

}  // namespace

LeafOrder::LeafOrder(const Dataset& dataset, std::size_t most_rows, PathLane path, Layout layout,
                     int n_workers)
    : dataset_(dataset),
      most_rows_(most_rows),
      path_(path),
      layout_(layout),
      buffers_(kSharedBuffers + kOwnBuffers * static_cast<std::size_t>(n_workers)),
      goes_left_(static_cast<std::size_t>(n_workers)) {
  weights_.assign(dataset.weights().begin(), dataset.weights().end());
}

void LeafOrder::lay_out(const Gradients& gradients) {
  n_lanes_ = dataset_.n_groups();
  row_ = n_lanes_++;
  g_ = n_lanes_++;
  z_ = path_ == PathLane::kZ ? n_lanes_++ : kNoLane;
  w_ = weights_.empty() && gradients.w.empty() ? kNoLane : n_lanes_++;
  h_ = gradients.h.empty() ? w_ : n_lanes_++;
  const std::size_t bytes = n_lanes_ * most_rows_ * kItemBytes;
  const bool alone = goes_left_.size() == 1;
  if (alone || (buffers_.size() - kSharedBuffers) * bytes > kOwnBytes) {
    buffers_.resize(kSharedBuffers);
  }
  for (auto& buffer : buffers_) buffer = AlignedBuffer<std::byte>(bytes);
}

void LeafOrder::copy_ring(const void* items, std::size_t index, std::size_t first) {
  const auto* from = static_cast<const std::byte*>(items);
  const std::size_t straight = std::min(n_rows_, dataset_.n_rows() - first);
  std::memcpy(lane(index, 0), from + first * kItemBytes, straight * kItemBytes);
  if (straight < n_rows_) {
    std::memcpy(lane(index, 0) + straight * kItemBytes, from, (n_rows_ - straight) * kItemBytes);
  }
}

NodeRows LeafOrder::reset(const Gradients& gradients, std::size_t first, std::size_t n,
                          ThreadPool& pool) {
  if (n_lanes_ == 0) lay_out(gradients);
  first_row_ = first;
  n_rows_ = n;
  is_subsample_ = !gradients.rows.empty();
  sources_.assign(n_lanes_, nullptr);
  for (std::size_t group = 0; group < dataset_.n_groups(); ++group) {
    sources_[group] = dataset_.group_codes(group).data();
  }
  sources_[g_] = gradients.g.data();
  if (w_ != kNoLane) sources_[w_] = gradients.w.empty() ? weights_.data() : gradients.w.data();
  if (h_ != w_) sources_[h_] = gradients.h.data();
  const NodeRows root{.begin = 0, .end = n_rows_, .buffer = 0};
  number_rows(gradients.rows, first);
  pool.run(n_lanes_, [&](std::size_t index, std::size_t) {
    if (sources_[index] != nullptr) {
      is_subsample_ ? fetch(index, root) : copy_ring(sources_[index], index, first);
    } else if (index != row_) {
      std::memset(lane(index, 0), 0, n_rows_ * kItemBytes);
    }
  });
  return root;
}

void LeafOrder::number_rows(std::span<const std::uint32_t> known, std::size_t first) {
  auto* rows = reinterpret_cast<std::uint32_t*>(lane(row_, 0));
  const std::size_t n = is_subsample_ ? known.size() : dataset_.n_rows();
  const auto number = [&](std::size_t begin, std::size_t count, std::uint32_t* to) {
    if (is_subsample_) {
      std::copy_n(known.data() + begin, count, to);
    } else {
      std::iota(to, to + count, static_cast<std::uint32_t>(begin));
    }
  };
  const std::size_t straight = std::min(n_rows_, n - first % n);
  number(first % n, straight, rows);
  number(0, n_rows_ - straight, rows + straight);
}

std::array<NodeRows, 2> LeafOrder::split(const NodeRows& node, const Candidate& candidate,
                                         std::size_t worker, ThreadPool* pool) {
  std::vector<std::uint64_t>& goes_left = goes_left_[worker];
  if (pool == nullptr && goes_left_.size() > 1 && node.writer != worker) take_over(node);
  const std::size_t n_left = mark_left(node, candidate, goes_left, pool);
  const std::size_t to = destination(node, worker, pool);
  const std::size_t middle = node.begin + n_left;
  const bool in_rows = layout_ == Layout::kRowOrder;
  const Kernels& moving = layout_ == Layout::kLeafOrder ? kernels() : kBaselineKernels;
  over_range(pool, n_lanes_, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t index = begin; index < end; ++index) {
      if (in_rows && sources_[index] != nullptr) continue;
      moving.partition(lane(index, node.buffer) + node.begin * kItemBytes, goes_left.data(),
                       node.size(), lane(index, to) + node.begin * kItemBytes,
                       lane(index, to) + middle * kItemBytes);
    }
  });
  if (in_rows) {
    const NodeRows moved{.begin = node.begin, .end = node.end, .buffer = to};
    over_range(pool, n_lanes_, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t index = begin; index < end; ++index) fetch(index, moved);
    });
  }
  const std::size_t writer = pool == nullptr ? worker : NodeRows::kManyWriters;
  const std::array<NodeRows, 2> children{NodeRows{node.begin, middle, to, writer},
                                         NodeRows{middle, node.end, to, writer}};
  if (!candidate.redundant && z_ != kNoLane) update_z(children, candidate, pool);
  return children;
}

std::size_t LeafOrder::destination(const NodeRows& node, std::size_t worker,
                                   const ThreadPool* pool) const {
  const bool shared = pool != nullptr || buffers_.size() == kSharedBuffers;
  const std::size_t first = shared ? 0 : kSharedBuffers + kOwnBuffers * worker;
  return node.buffer == first ? first + 1 : first;
}

// A line that was only read is shared by both processors, and whoever writes to it next waits for
// the other. One that is written to changes hands at once.
void LeafOrder::take_over(const NodeRows& node) {
  for (std::size_t index = 0; index < n_lanes_; ++index) {
    auto* items = reinterpret_cast<volatile std::uint32_t*>(lane(index, node.buffer));
    for (std::size_t i = node.begin; i < node.end; i += kLineItems) items[i] = items[i];
    items[node.end - 1] = items[node.end - 1];
  }
}

// Paper Algorithm 2: the rows of a leaf are anywhere in the arrays.
void LeafOrder::fetch(std::size_t index, const NodeRows& rows) {
  const auto* from = static_cast<const std::byte*>(sources_[index]);
  if (from == nullptr) return;
  const std::uint32_t* numbers = row_numbers(rows);
  std::byte* to = lane(index, rows.buffer) + rows.begin * kItemBytes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(to + i * kItemBytes, from + numbers[i] * kItemBytes, kItemBytes);
  }
}

std::size_t LeafOrder::mark_left(const NodeRows& node, const Candidate& candidate,
                                 std::vector<std::uint64_t>& goes_left, ThreadPool* pool) const {
  const CodedFeature& feature = dataset_.features()[candidate.feature];
  std::array<std::uint32_t, kCodes / 32> left{};
  for (std::size_t code = 0; code < feature.n_codes; ++code) {
    const bool goes = candidate.goes_left(feature.bin_of_code[code], feature.bins->missing_code());
    left[code / 32] |= std::uint32_t{goes} << (code % 32);
  }
  const std::uint32_t* words = codes(feature, node);
  const std::size_t n_words = (node.size() + 63) / 64;
  if (goes_left.size() < n_words) goes_left.resize(n_words);
  over_range(pool, node.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    kernels().mark_left(words + begin, feature.shift(), left.data(), end - begin,
                        goes_left.data() + begin / 64);
  });
  std::size_t n_left = 0;
  for (std::size_t word = 0; word < n_words; ++word) {
    n_left += static_cast<std::size_t>(std::popcount(goes_left[word]));
  }
  return n_left;
}

void LeafOrder::update_z(const std::array<NodeRows, 2>& children, const Candidate& candidate,
                         ThreadPool* pool) {
  const CodedFeature& feature = dataset_.features()[candidate.feature];
  const std::array models{&candidate.left, &candidate.right};
  std::array<std::array<float, kCodes>, 2> contributions;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t code = 0; code < kCodes; ++code) {
      contributions[side][code] = static_cast<float>(
          models[side]->slope_x * static_cast<double>(feature.values[code]) - models[side]->shift);
    }
  }
  float* z = reinterpret_cast<float*>(lane(z_, children[0].buffer));
  const std::uint32_t* words = codes(feature, children[0]) - children[0].begin;
  const std::size_t first = children[0].begin;
  over_range(pool, children[1].end - first, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t from = std::max(first + begin, children[side].begin);
      const std::size_t to = std::min(first + end, children[side].end);
      if (from >= to) continue;
      kernels().update_z(words + from, feature.shift(), contributions[side].data(),
                         static_cast<float>(models[side]->slope_z), to - from, z + from);
    }
  });
}

double LeafOrder::weight(const NodeRows& node, std::size_t n) const {
  const float* weights = floats(w_, node);
  return weights == nullptr ? static_cast<double>(n) : std::accumulate(weights, weights + n, 0.0);
}

HistogramRows LeafOrder::rows(const NodeRows& node, std::size_t n) const {
  return {.statistics = {.g = floats(g_, node),
                         .h = floats(h_, node),
                         .z = floats(z_, node),
                         .w = floats(w_, node)},
          .n = n,
          .codes = reinterpret_cast<const std::uint32_t*>(lane(0, node.buffer)) + node.begin,
          .group_stride = most_rows_};
}

}  // namespace plboost
