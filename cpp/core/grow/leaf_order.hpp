#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned_buffer.hpp"
#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/kernels/kernels.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

// The rows of a node: a range of the leaf order, in one of its two buffers.
struct NodeRows {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t buffer = 0;

  std::size_t size() const { return end - begin; }
};

// Everything growth needs of a row, kept in leaf order (the paper's leafBin): the rows of a node
// lie side by side, so histograms read straight on. Each payload is a lane of 32-bit items: one per
// group of codes, then g, h, w, z and the row's number. A split moves a node's rows from one buffer
// to the other.
class LeafOrder {
 public:
  LeafOrder(const Dataset& dataset, ThreadPool& pool);

  // All rows in one node, with z = 0.
  NodeRows reset(std::span<const float> g, std::span<const float> h);

  // Moves the node's rows to the sides of the split and gives them the children's z.
  std::array<NodeRows, 2> split(const NodeRows& node, const Candidate& candidate);

  const std::uint32_t* codes(std::size_t group, const NodeRows& node) const {
    return words(group, node.buffer) + node.begin;
  }
  RowStatistics statistics(const NodeRows& node) const;
  const std::uint32_t* row_numbers(const NodeRows& node) const;

 private:
  enum PayloadLane : std::size_t { kGLane, kHLane, kWLane, kZLane, kRowLane, kPayloadLanes };

  std::size_t n_lanes() const { return dataset_.n_groups() + kPayloadLanes; }
  std::byte* lane(std::size_t index, std::size_t buffer);
  const std::byte* lane(std::size_t index, std::size_t buffer) const;
  const std::uint32_t* words(std::size_t index, std::size_t buffer) const {
    return reinterpret_cast<const std::uint32_t*>(lane(index, buffer));
  }
  float* floats(PayloadLane payload, std::size_t buffer) {
    return reinterpret_cast<float*>(lane(dataset_.n_groups() + payload, buffer));
  }
  const float* floats(PayloadLane payload, std::size_t buffer) const {
    return reinterpret_cast<const float*>(lane(dataset_.n_groups() + payload, buffer));
  }
  std::size_t mark_left(const NodeRows& node, const Candidate& candidate);
  void update_z(const NodeRows& child, const ChildModel& model, std::size_t slot);

  const Dataset& dataset_;
  ThreadPool& pool_;
  std::array<AlignedBuffer<std::byte>, 2> buffers_;  // lane after lane
  std::vector<std::uint64_t> goes_left_;             // one bit per row of the node being split
};

}  // namespace plboost
