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
// Expanding has two steps: a leaf is split, then its children are searched, one by one. Every
// worker has the leaves whose rows it has moved itself: they lie in its cache. It searches its own
// first, then it splits leaves that are as good as sure to belong to the tree, its own before
// others'. When there are none it helps others to search theirs, and only then it splits the best
// of all.
class Frontier {
 public:
  // Leaves with gains of at least `sure` on the whole path to them will probably be split.
  Frontier(std::size_t max_splits, std::size_t n_workers, double sure)
      : max_splits_(max_splits), sure_(sure), open_(n_workers), unsearched_(n_workers) {}

  using Rank = std::vector<double>;  // ascending; compares as vectors do
  static constexpr double kLast = std::numeric_limits<double>::infinity();

  struct Entry {
    Rank rank;
    GrowingLeaf* leaf;
  };

  // What a worker can do: split a leaf, whose rank this is, or search one, whose parent's it is.
  struct Task {
    enum class Kind { kNone, kSplit, kSearch };
    Kind kind = Kind::kNone;
    GrowingLeaf* leaf = nullptr;
    const Rank* rank = nullptr;
  };

  // A leaf that was not searched yet; parent_rank must stay where it is until it was.
  void add_unsearched(GrowingLeaf* leaf, const Rank& parent_rank, std::size_t worker) {
    unsearched_[worker].push_back({Task::Kind::kSearch, leaf, &parent_rank});
  }

  // A leaf with a valid candidate; parent_rank is that of the leaf it came from (empty for the
  // root).
  void add(GrowingLeaf* leaf, const Rank& parent_rank, std::size_t worker);

  // Takes what the worker is to do next. kNone: there is nothing at the moment.
  Task next(std::size_t worker);

  // Takes a leaf that may belong to the tree, the best of all. Null: there is none.
  const Entry* next_split();
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

  // Equal ranks stay in: which of them belongs to the tree is a matter of order, decided at the
  // end.
  bool may_belong(const Queue& queue) const {
    return !queue.empty() && !(queue.top()->rank < best_.top()->rank);
  }
  bool is_sure(const Queue& queue) const {
    return may_belong(queue) && queue.top()->rank.front() >= sure_;
  }
  Queue* best_queue();
  static const Entry* take_top(Queue& queue);

  std::size_t max_splits_;
  double sure_;
  std::deque<Entry> entries_;  // all of them: they stay where they are
  std::vector<Queue> open_;    // by worker
  std::vector<std::vector<Task>> unsearched_;
  std::priority_queue<const Entry*, std::vector<const Entry*>, RanksHigher> best_;
};

}  // namespace plboost
