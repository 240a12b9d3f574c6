#pragma once

#include <cstddef>
#include <deque>

#include "core/grow/growing_leaf.hpp"

namespace plboost {

// Makes leaves of those of the tree before, with the memory that they hold: a tree is made of
// hundreds of small pieces. One per worker.
class LeafArena {
 public:
  // The leaves of the tree before are gone.
  void start_tree() {
    for (std::size_t i = 0; i < n_used_; ++i) leaves_[i].histogram = {};
    n_used_ = 0;
  }

  // Good until the next tree.
  GrowingLeaf* make() {
    if (n_used_ == leaves_.size()) leaves_.emplace_back();
    GrowingLeaf& leaf = leaves_[n_used_++];
    leaf.best = {};
    leaf.references.clear();
    leaf.path.clear();
    leaf.left = leaf.right = nullptr;
    return &leaf;
  }

 private:
  std::deque<GrowingLeaf> leaves_;  // they stay where they are
  std::size_t n_used_ = 0;
};

}  // namespace plboost
