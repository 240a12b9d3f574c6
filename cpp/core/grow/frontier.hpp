#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/grow/leaf_order.hpp"
#include "core/linear/node_model.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

// A leaf of the tree that is being grown.
struct GrowingLeaf {
  std::size_t node = 0;  // its number in the tree
  int depth = 0;
  NodeRows rows;
  NodeModel model;
  Candidate best;  // its best split, if it has one
};

// The leaves that can still be split, best first; among equals the one made first.
class Frontier {
 public:
  void push(double gain, std::size_t node) {
    heap_.push_back({gain, node});
    std::push_heap(heap_.begin(), heap_.end(), worse);
  }

  std::optional<std::size_t> pop() {
    if (heap_.empty()) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), worse);
    const std::size_t node = heap_.back().node;
    heap_.pop_back();
    return node;
  }

 private:
  struct Entry {
    double gain;
    std::size_t node;
  };
  static bool worse(const Entry& a, const Entry& b) {
    return a.gain != b.gain ? a.gain < b.gain : a.node > b.node;
  }
  std::vector<Entry> heap_;
};

}  // namespace plboost
