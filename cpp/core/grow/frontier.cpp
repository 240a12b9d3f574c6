#include "core/grow/frontier.hpp"

#include <algorithm>

namespace plboost {

void Frontier::add(GrowingLeaf* leaf, double parent_rank) {
  if (!leaf->best.valid || max_splits_ == 0) return;
  const double rank = std::min(leaf->best.gain, parent_rank);
  open_.push({rank, leaf});
  best_ranks_.push(rank);
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
