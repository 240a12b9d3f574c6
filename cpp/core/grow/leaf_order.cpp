#include "core/grow/leaf_order.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/base/take_over.hpp"
#include "core/grow/left_codes.hpp"

namespace plboost {
namespace {

constexpr std::size_t kItemBytes = 4;
// Rows per task when a pass over a node is cut up: a multiple of the 64 rows of a bit word.
constexpr std::size_t kGrain = 4096;
// Lanes that are split together: enough to share what it takes to find the places of the rows, few
// enough for a processor to foresee what is read and written next.
constexpr std::size_t kLanesTogether = 4;
// What the buffers that workers have of their own may take, all together.
constexpr std::size_t kOwnBytes = std::size_t{16} << 20;
constexpr std::size_t kSharedBuffers = 2;
constexpr std::size_t kOwnBuffers = 2;  // of each worker
constexpr std::size_t kLineItems = 64 / kItemBytes;

// Runs body(begin, end) over the rows [0, n), by the pool if there is one.
template <typename Body>
void over_rows(ThreadPool* pool, std::size_t n, Body&& body) {
  if (pool == nullptr) {
    if (n > 0) body(std::size_t{0}, n);
  } else {
    pool->run_range(n, kGrain, body);
  }
}

// An odd number of cache lines: the same row of all lanes is read and written together, and at a
// distance of a power of two they would drive each other out of the cache.
std::size_t lane_places(std::size_t most_rows) {
  return ((most_rows + kLineItems - 1) / kLineItems | 1U) * kLineItems;
}

}  // namespace

LeafOrder::LeafOrder(const Dataset& dataset, std::size_t most_rows, PathLane path, Layout layout,
                     int n_workers)
    : dataset_(dataset),
      stride_(lane_places(most_rows)),
      path_(path),
      layout_(layout),
      buffers_(kSharedBuffers + kOwnBuffers * static_cast<std::size_t>(n_workers)),
      sides_(static_cast<std::size_t>(n_workers)) {
  weights_.assign(dataset.weights().begin(), dataset.weights().end());
}

void LeafOrder::lay_out(const Gradients& gradients) {
  n_lanes_ = dataset_.n_groups();
  row_ = n_lanes_++;
  g_ = n_lanes_++;
  z_ = path_ == PathLane::kZ ? n_lanes_++ : kNoLane;
  w_ = weights_.empty() && gradients.w.empty() ? kNoLane : n_lanes_++;
  h_ = gradients.h.empty() ? w_ : n_lanes_++;
  const std::size_t bytes = n_lanes_ * stride_ * kItemBytes;
  const bool alone = sides_.size() == 1;
  if (alone || (buffers_.size() - kSharedBuffers) * bytes > kOwnBytes) {
    buffers_.resize(kSharedBuffers);
  }
  for (auto& buffer : buffers_) buffer = AlignedBuffer<std::byte>(bytes);
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
  // Workers have parts of the data set, not of the ring: rows whose gradients they know.
  const std::size_t n_known = is_subsample_ ? gradients.rows.size() : dataset_.n_rows();
  const std::size_t start = first % n_known;
  const auto n_parts = static_cast<std::size_t>(pool.size());
  pool.run(n_parts, [&](std::size_t part, std::size_t) {
    const std::size_t begin = part * n_known / n_parts;
    const std::size_t end = (part + 1) * n_known / n_parts;
    const std::size_t turn = std::clamp(start, begin, end);
    plant(gradients.rows, begin, turn, begin + n_known - start);
    plant(gradients.rows, turn, end, turn - start);
  });
  return {.begin = 0, .end = n_rows_, .buffer = 0};
}

void LeafOrder::plant(std::span<const std::uint32_t> known, std::size_t begin, std::size_t end,
                      std::size_t to) {
  if (begin == end || to >= n_rows_) return;
  const NodeRows planted{.begin = to, .end = std::min(to + (end - begin), n_rows_), .buffer = 0};
  auto* numbers = reinterpret_cast<std::uint32_t*>(lane(row_, 0)) + to;
  if (is_subsample_) {
    std::copy_n(known.data() + begin, planted.size(), numbers);
  } else {
    std::iota(numbers, numbers + planted.size(), static_cast<std::uint32_t>(begin));
  }
  for (std::size_t index = 0; index < n_lanes_; ++index) {
    std::byte* items = lane(index, 0) + to * kItemBytes;
    if (index == row_) continue;
    if (sources_[index] == nullptr) {
      std::memset(items, 0, planted.size() * kItemBytes);
    } else if (is_subsample_) {
      fetch(index, planted);
    } else {
      const auto* source = static_cast<const std::byte*>(sources_[index]);
      std::memcpy(items, source + begin * kItemBytes, planted.size() * kItemBytes);
    }
  }
}

std::array<NodeRows, 2> LeafOrder::split(const NodeRows& node, const Candidate& candidate,
                                         std::size_t worker, ThreadPool* pool) {
  if (pool == nullptr) take(node, worker);
  Sides& sides = sides_[worker];
  mark(node, candidate, sides, pool);
  const std::size_t to = destination(node, worker, pool);
  const std::size_t middle = node.begin + sides.before.back();
  const std::size_t writer = pool == nullptr ? worker : NodeRows::kManyWriters;
  const bool new_z = !candidate.redundant && z_ != kNoLane;
  if (new_z) find_terms(candidate, sides);
  over_rows(pool, node.size(), [&](std::size_t begin, std::size_t end) {
    const NodeRows piece{node.begin + begin, node.begin + end, node.buffer};
    const std::size_t before = sides.before[begin / kGrain];
    const std::size_t n_left = sides.before[(end + kGrain - 1) / kGrain] - before;
    const std::size_t left = node.begin + before;
    const std::size_t right = middle + (begin - before);
    const NodeRows to_left{left, left + n_left, to};
    const NodeRows to_right{right, right + (piece.size() - n_left), to};
    if (pool != nullptr) take_lanes(piece, piece.size(), 0, n_lanes_);
    move(piece, sides.goes_left.data() + begin / 64, to_left, to_right);
    if (!new_z) return;
    update_z(to_left, candidate.feature, candidate.left, sides.terms[0]);
    update_z(to_right, candidate.feature, candidate.right, sides.terms[1]);
  });
  return {NodeRows{node.begin, middle, to, writer}, NodeRows{middle, node.end, to, writer}};
}

void LeafOrder::move(const NodeRows& rows, const std::uint64_t* goes_left, const NodeRows& left,
                     const NodeRows& right) {
  const Kernels& moving = layout_ == Layout::kLeafOrder ? kernels() : kBaselineKernels;
  const auto move_lanes = [&](std::size_t first, std::size_t n_lanes) {
    moving.partition({.items = lane(first, rows.buffer) + rows.begin * kItemBytes,
                      .left = lane(first, left.buffer) + left.begin * kItemBytes,
                      .right = lane(first, right.buffer) + right.begin * kItemBytes,
                      .stride = stride_ * kItemBytes,
                      .n_lanes = n_lanes},
                     goes_left, rows.size());
  };
  if (layout_ != Layout::kRowOrder) {
    for (std::size_t first = 0; first < n_lanes_; first += kLanesTogether) {
      move_lanes(first, std::min(kLanesTogether, n_lanes_ - first));
    }
    return;
  }
  move_lanes(row_, 1);
  if (z_ != kNoLane) move_lanes(z_, 1);
  for (std::size_t index = 0; index < n_lanes_; ++index) {
    fetch(index, left);
    fetch(index, right);
  }
}

std::size_t LeafOrder::destination(const NodeRows& node, std::size_t worker,
                                   const ThreadPool* pool) const {
  const bool shared = pool != nullptr || buffers_.size() == kSharedBuffers;
  const std::size_t first = shared ? 0 : kSharedBuffers + kOwnBuffers * worker;
  return node.buffer == first ? first + 1 : first;
}

void LeafOrder::take(const NodeRows& node, std::size_t worker) const {
  if (sides_.size() > 1 && node.writer != worker) take_lanes(node, node.size(), 0, n_lanes_);
}

void LeafOrder::take_lanes(const NodeRows& node, std::size_t n, std::size_t first,
                           std::size_t last) const {
  for (std::size_t index = first; index < last; ++index) {
    take_over(reinterpret_cast<const std::uint32_t*>(lane(index, node.buffer)) + node.begin, n);
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

void LeafOrder::mark(const NodeRows& node, const Candidate& candidate, Sides& sides,
                     ThreadPool* pool) const {
  const CodedFeature& feature = dataset_.features()[candidate.feature];
  const LeftCodes left = left_codes(feature, candidate);
  const std::uint32_t* words = codes(feature, node);
  const std::size_t n_words = (node.size() + 63) / 64;
  if (sides.goes_left.size() < n_words) sides.goes_left.resize(n_words);
  sides.before.assign((node.size() + kGrain - 1) / kGrain + 1, 0);
  over_rows(pool, node.size(), [&](std::size_t begin, std::size_t end) {
    sides.before[begin / kGrain + 1] = kernels().mark_left(
        words + begin, feature.shift(), left.data(), end - begin, &sides.goes_left[begin / 64]);
  });
  std::partial_sum(sides.before.begin(), sides.before.end(), sides.before.begin());
}

void LeafOrder::find_terms(const Candidate& candidate, Sides& sides) const {
  const CodedFeature& feature = dataset_.features()[candidate.feature];
  const std::array models{&candidate.left, &candidate.right};
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t code = 0; code < feature.n_codes; ++code) {
      sides.terms[side][code] = static_cast<float>(
          models[side]->slope_x * static_cast<double>(feature.values[code]) - models[side]->shift);
    }
  }
}

void LeafOrder::update_z(const NodeRows& rows, std::size_t split_feature, const ChildModel& model,
                         const std::array<float, kCodes>& terms) {
  const CodedFeature& feature = dataset_.features()[split_feature];
  float* z = reinterpret_cast<float*>(lane(z_, rows.buffer)) + rows.begin;
  kernels().update_z(codes(feature, rows), feature.shift(), terms.data(),
                     static_cast<float>(model.slope_z), rows.size(), z);
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
          .group_stride = stride_};
}

}  // namespace plboost
