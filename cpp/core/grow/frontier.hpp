#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <queue>
#include <vector>

#include "core/grow/growing_leaf.hpp"

namespace plboost {

// Which leaves are worth expanding (moving their rows and searching their children), so that this
// can be done for several at a time. Best-first growth takes a leaf when its turn comes, and that
// is told by its *rank*: the smallest gain on the path to it, then the smallest behind that one,
// and so on to its own, then infinity, for it comes before all leaves below it. The tree's splits
// are the max_splits leaves of the largest ranks. A leaf that is not among the max_splits best
// known now never will be.
//
// Every worker has the leaves whose rows it has moved itself: they lie in its cache. While one of
// them is as good as sure to belong to the tree it takes that, and only then the best of all.
class Frontier {
 public:
  // Leaves with gains of at least `sure` on the whole path to them will probably be split.
  Frontier(std::size_t max_splits, std::size_t n_workers, double sure)
      : max_splits_(max_splits), sure_(sure), open_(n_workers) {}

  using Rank = std::vector<double>;  // ascending; compares as vectors do
  static constexpr double kLast = std::numeric_limits<double>::infinity();

  struct Entry {
    Rank rank;
    GrowingLeaf* leaf;
  };

  // A leaf with a valid candidate; parent_rank is that of the leaf it came from (empty for the
  // root).
  void add(GrowingLeaf* leaf, const Rank& parent_rank, std::size_t worker);

  // Takes a leaf for the worker that may belong to the tree. Null: there is none at the moment.
  const Entry* next(std::size_t worker);

  // Returns a leaf that was taken but not expanded.
  void put_back(const Entry* entry) { open_[0].push(entry); }

 private:
  struct RanksLower {
    bool operator()(const Entry* a, const Entry* b) const { return a->rank < b->rank; }
  };
  struct RanksHigher {
    bool operator()(const Entry* a, const Entry* b) const { return b->rank < a->rank; }
  };
  using Queue = std::priority_queue<const Entry*, std::vector<const Entry*>, RanksLower>;

  std::size_t max_splits_;
  double sure_;
  std::deque<Entry> entries_;  // all of them: they stay where they are
  std::vector<Queue> open_;    // by worker
  std::priority_queue<const Entry*, std::vector<const Entry*>, RanksHigher> best_;
};

}  // namespace plboost
