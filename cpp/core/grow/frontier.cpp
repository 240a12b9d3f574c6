#include "core/grow/frontier.hpp"

#include <utility>

namespace plboost {

void Frontier::add(GrowingLeaf* leaf, Rank rank) {
  if (!leaf->best.valid || max_splits_ == 0) return;
  while (!rank.empty() && rank.back() > leaf->best.gain) rank.pop_back();
  rank.push_back(leaf->best.gain);
  rank.push_back(kLast);
  best_ranks_.push(rank);
  open_.push({std::move(rank), leaf});
  if (best_ranks_.size() > max_splits_) best_ranks_.pop();
}

bool Frontier::next(Entry& entry) {
  if (open_.empty()) return false;
  // Equal ranks stay in: which of them belongs to the tree is a matter of order, decided at the
  // end.
  if (open_.top().rank < best_ranks_.top()) return false;
  entry = open_.top();
  open_.pop();
  return true;
}

}  // namespace plboost
