#include "core/grow/leaf_order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace plboost {
namespace {

constexpr std::size_t kItemBytes = 4;
// Rows per task when a pass over a node is cut up: a multiple of the 64 rows of a bit word.
constexpr std::size_t kGrain = 16384;

}  // namespace

LeafOrder::LeafOrder(const Dataset& dataset, ThreadPool& pool)
    : dataset_(dataset), pool_(pool), goes_left_((dataset.n_rows() + 63) / 64) {
  for (auto& buffer : buffers_) {
    buffer = AlignedBuffer<std::byte>(n_lanes() * dataset.n_rows() * kItemBytes);
  }
}

std::byte* LeafOrder::lane(std::size_t index, std::size_t buffer) {
  return buffers_[buffer].data() + index * dataset_.n_rows() * kItemBytes;
}
const std::byte* LeafOrder::lane(std::size_t index, std::size_t buffer) const {
  return buffers_[buffer].data() + index * dataset_.n_rows() * kItemBytes;
}

NodeRows LeafOrder::reset(std::span<const float> g, std::span<const float> h) {
  const std::size_t n = dataset_.n_rows();
  pool_.run(dataset_.n_groups(), [&](std::size_t group, std::size_t) {
    std::memcpy(lane(group, 0), dataset_.group_codes(group).data(), n * kItemBytes);
  });
  std::copy(g.begin(), g.end(), floats(kGLane, 0));
  std::copy(h.begin(), h.end(), floats(kHLane, 0));
  std::transform(dataset_.weights().begin(), dataset_.weights().end(), floats(kWLane, 0),
                 [](double weight) { return static_cast<float>(weight); });
  std::fill_n(floats(kZLane, 0), n, 0.0F);
  auto* rows = reinterpret_cast<std::uint32_t*>(lane(dataset_.n_groups() + kRowLane, 0));
  std::iota(rows, rows + n, 0U);
  return {.begin = 0, .end = n, .buffer = 0};
}

std::array<NodeRows, 2> LeafOrder::split(const NodeRows& node, const Candidate& candidate) {
  const std::size_t n_left = mark_left(node, candidate);
  const std::size_t to = 1 - node.buffer;
  const std::size_t middle = node.begin + n_left;
  pool_.run(n_lanes(), [&](std::size_t index, std::size_t) {
    kernels().partition(lane(index, node.buffer) + node.begin * kItemBytes, goes_left_.data(),
                        node.size(), lane(index, to) + node.begin * kItemBytes,
                        lane(index, to) + middle * kItemBytes);
  });
  const std::array<NodeRows, 2> children{NodeRows{.begin = node.begin, .end = middle, .buffer = to},
                                         NodeRows{.begin = middle, .end = node.end, .buffer = to}};
  if (!candidate.redundant) {
    update_z(children[0], candidate.left, candidate.slot);
    update_z(children[1], candidate.right, candidate.slot);
  }
  return children;
}

std::size_t LeafOrder::mark_left(const NodeRows& node, const Candidate& candidate) {
  const std::uint32_t* words = codes(candidate.slot / kGroupFeatures, node);
  const unsigned shift = 8 * static_cast<unsigned>(candidate.slot % kGroupFeatures);
  const auto missing = static_cast<unsigned>(dataset_.slot_bins(candidate.slot).missing_code());
  const auto threshold = static_cast<unsigned>(candidate.threshold);
  pool_.run_range(node.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t word = begin / 64; word * 64 < end; ++word) {
      std::uint64_t bits = 0;
      for (std::size_t i = word * 64; i < std::min(word * 64 + 64, end); ++i) {
        const unsigned code = (words[i] >> shift) & 0xffU;
        const bool left = code <= threshold || (code == missing && candidate.missing_left);
        bits |= std::uint64_t{left} << (i % 64);
      }
      goes_left_[word] = bits;
    }
  });
  std::size_t n_left = 0;
  for (std::size_t word = 0; word < (node.size() + 63) / 64; ++word) {
    n_left += static_cast<std::size_t>(std::popcount(goes_left_[word]));
  }
  return n_left;
}

void LeafOrder::update_z(const NodeRows& child, const ChildModel& model, std::size_t slot) {
  const std::uint32_t* words = codes(slot / kGroupFeatures, child);
  const unsigned shift = 8 * static_cast<unsigned>(slot % kGroupFeatures);
  const float* values = dataset_.slot_bins(slot).values.data();
  float* z = floats(kZLane, child.buffer) + child.begin;
  pool_.run_range(child.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double x = static_cast<double>(values[(words[i] >> shift) & 0xffU]);
      z[i] = static_cast<float>(model.slope_z * static_cast<double>(z[i]) + model.slope_x * x -
                                model.shift);
    }
  });
}

RowStatistics LeafOrder::statistics(const NodeRows& node) const {
  return {.g = floats(kGLane, node.buffer) + node.begin,
          .h = floats(kHLane, node.buffer) + node.begin,
          .z = floats(kZLane, node.buffer) + node.begin,
          .w = floats(kWLane, node.buffer) + node.begin};
}

const std::uint32_t* LeafOrder::row_numbers(const NodeRows& node) const {
  return words(dataset_.n_groups() + kRowLane, node.buffer) + node.begin;
}

}  // namespace plboost
