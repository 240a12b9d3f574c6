#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned_buffer.hpp"
#include "core/base/thread_pool.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/options.hpp"
#include "core/histogram/histogram.hpp"
#include "core/kernels/kernels.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

// Derivatives of the loss by training row. h empty: it is the row's weight.
struct Gradients {
  std::span<const float> g;
  std::span<const float> h;
  // Of a tree that knows some rows only: their weights (0: not known) and their numbers, ascending.
  std::span<const float> w;
  std::span<const std::uint32_t> rows;
};

// The rows of a node: a range of the leaf order, in one of its buffers.
struct NodeRows {
  static constexpr std::size_t kManyWriters = static_cast<std::size_t>(-1);

  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t buffer = 0;
  std::size_t writer = kManyWriters;  // the worker that moved them there

  std::size_t size() const { return end - begin; }
};

// Everything the split search needs of the tree's rows, kept in leaf order (the paper's leafBin):
// the rows of a node lie side by side, so histograms read straight on. Each payload is a lane of
// 32-bit items: one per group of codes, then the row's number, g, z and, unless they are the same
// for all rows, h and w. A split moves a node's rows from one buffer to another. Different nodes
// may be split from different threads at the same time.
//
// There are two buffers for nodes that all workers split together, and unless they are large two
// more for each worker. Writing to memory that another processor has looked at takes far longer
// than to any other (docs/adr/0020-rows-stay-with-their-worker.md).
class LeafOrder {
 public:
  enum class PathLane { kNone, kZ };

  // For trees of at most `most_rows` rows and so many workers.
  LeafOrder(const Dataset& dataset, std::size_t most_rows, PathLane path, Layout layout,
            int n_workers);

  // The rows [first, first + n) of the data set, or of those that the tree knows, which are taken
  // to be a ring, in one node with z = 0.
  NodeRows reset(const Gradients& gradients, std::size_t first, std::size_t n, ThreadPool& pool);

  // Moves the node's rows to the sides of the split and gives them the children's z. A pool, if
  // given, shares the work; if not, it is the worker's.
  std::array<NodeRows, 2> split(const NodeRows& node, const Candidate& candidate,
                                std::size_t worker, ThreadPool* pool);

  // Makes the memory of a node's rows the worker's own, if another has written it.
  void take(const NodeRows& node, std::size_t worker) const;

  // Makes the memory of some lanes of the first n rows of a node, the first ones being those of the
  // groups of codes, the calling worker's own.
  void take_lanes(const NodeRows& node, std::size_t n, std::size_t first, std::size_t last) const;

  // The first n rows of the node.
  HistogramRows rows(const NodeRows& node, std::size_t n) const;

  // The weight of the first n rows of the node.
  double weight(const NodeRows& node, std::size_t n) const;

  // The data set's numbers of the node's rows, in the order of the ring.
  const std::uint32_t* row_numbers(const NodeRows& node) const {
    return reinterpret_cast<const std::uint32_t*>(lane(row_, node.buffer)) + node.begin;
  }
  // The sample of the present tree: n_rows() rows of the ring from first_row() on.
  std::size_t n_rows() const { return n_rows_; }
  std::size_t first_row() const { return first_row_; }
  // Or of the rows that the tree knows: then it says nothing about the data set's ring.
  bool is_subsample() const { return is_subsample_; }

  float value(const CodedFeature& feature, const NodeRows& node, std::size_t row) const {
    return feature.values[(codes(feature, node)[row] >> feature.shift()) & 0xffU];
  }
  const std::uint32_t* codes(const CodedFeature& feature, const NodeRows& node) const {
    return reinterpret_cast<const std::uint32_t*>(lane(feature.group(), node.buffer)) + node.begin;
  }

 private:
  static constexpr std::size_t kNoLane = static_cast<std::size_t>(-1);

  struct Sides {
    std::vector<std::uint64_t> goes_left;  // a bit for each row
    std::vector<std::size_t> before;  // how many go left before each piece of kGrain rows; of all
    std::array<std::array<float, kCodes>, 2> terms;  // by side: what a code adds to z
  };

  std::byte* lane(std::size_t index, std::size_t buffer) {
    return buffers_[buffer].data() + index * stride_ * 4;
  }
  const std::byte* lane(std::size_t index, std::size_t buffer) const {
    return buffers_[buffer].data() + index * stride_ * 4;
  }
  const float* floats(std::size_t index, const NodeRows& node) const {
    if (index == kNoLane) return nullptr;
    return reinterpret_cast<const float*>(lane(index, node.buffer)) + node.begin;
  }
  // Copies the rows [begin, end) of the data set, or of those that the tree knows, to the root,
  // from the place `to` on.
  void plant(std::span<const std::uint32_t> known, std::size_t begin, std::size_t end,
             std::size_t to);
  void lay_out(const Gradients& gradients);
  // The buffer that a node's rows are moved to.
  std::size_t destination(const NodeRows& node, std::size_t worker, const ThreadPool* pool) const;
  void fetch(std::size_t index, const NodeRows& rows);
  // Finds the sides of a node's rows.
  void mark(const NodeRows& node, const Candidate& candidate, Sides& sides, ThreadPool* pool) const;
  // Moves rows, with a bit for each, to the places of their sides.
  void move(const NodeRows& rows, const std::uint64_t* goes_left, const NodeRows& left,
            const NodeRows& right);
  void find_terms(const Candidate& candidate, Sides& sides) const;
  void update_z(const NodeRows& rows, std::size_t split_feature, const ChildModel& model,
                const std::array<float, kCodes>& terms);

  const Dataset& dataset_;
  const std::size_t stride_;  // places in a lane
  const PathLane path_;
  const Layout layout_;
  std::vector<float> weights_;  // of all rows; empty: all 1
  std::size_t first_row_ = 0;
  std::size_t n_rows_ = 0;
  bool is_subsample_ = false;
  std::size_t n_lanes_ = 0;
  std::size_t row_ = kNoLane, g_ = kNoLane, h_ = kNoLane, w_ = kNoLane, z_ = kNoLane;
  std::vector<const void*> sources_;  // by lane: its items by row; null for row numbers and z
  std::vector<AlignedBuffer<std::byte>> buffers_;  // lane after lane
  std::vector<Sides> sides_;                       // scratch by worker
};

}  // namespace plboost
