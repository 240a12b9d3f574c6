#include "core/grow/frontier.hpp"

#include <utility>

namespace plboost {

void Frontier::add(GrowingLeaf* leaf, Rank rank, std::size_t worker) {
  if (!leaf->best.valid || max_splits_ == 0) return;
  while (!rank.empty() && rank.back() > leaf->best.gain) rank.pop_back();
  rank.push_back(leaf->best.gain);
  rank.push_back(kLast);
  best_ranks_.push(rank);
  open_[worker].push({std::move(rank), leaf});
  if (best_ranks_.size() > max_splits_) best_ranks_.pop();
}

bool Frontier::next(Entry& entry, std::size_t worker) {
  // Equal ranks stay in: which of them belongs to the tree is a matter of order, decided at the
  // end.
  const auto may_belong = [this](const Queue& queue) {
    return !queue.empty() && !(queue.top().rank < best_ranks_.top());
  };
  Queue* from = &open_[worker];
  if (!may_belong(*from) || from->top().rank.front() < sure_) {
    for (Queue& other : open_) {
      if (!may_belong(other)) continue;
      if (!may_belong(*from) || from->top() < other.top()) from = &other;
    }
  }
  if (!may_belong(*from)) return false;
  entry = from->top();
  from->pop();
  return true;
}

}  // namespace plboost
