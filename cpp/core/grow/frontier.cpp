#include "core/grow/frontier.hpp"

#include <algorithm>
#include <utility>

namespace plboost {

void Frontier::add(GrowingLeaf* leaf, const Rank& parent_rank, std::size_t worker) {
  if (!leaf->best.valid || max_splits_ == 0) return;
  const double gain = leaf->best.gain;
  const auto end = std::ranges::find_if(parent_rank, [gain](double above) { return above > gain; });
  Rank rank;
  rank.reserve(static_cast<std::size_t>(end - parent_rank.begin()) + 2);
  rank.assign(parent_rank.begin(), end);
  rank.push_back(gain);
  rank.push_back(kLast);
  entries_.push_back({std::move(rank), leaf});
  const Entry* entry = &entries_.back();
  best_.push(entry);
  open_[worker].push(entry);
  if (best_.size() > max_splits_) best_.pop();
}

const Frontier::Entry* Frontier::next(std::size_t worker) {
  // Equal ranks stay in: which of them belongs to the tree is a matter of order, decided at the
  // end.
  const auto may_belong = [this](const Queue& queue) {
    return !queue.empty() && !(queue.top()->rank < best_.top()->rank);
  };
  Queue* from = &open_[worker];
  if (!may_belong(*from) || from->top()->rank.front() < sure_) {
    for (Queue& other : open_) {
      if (!may_belong(other)) continue;
      if (!may_belong(*from) || from->top()->rank < other.top()->rank) from = &other;
    }
  }
  if (!may_belong(*from)) return nullptr;
  const Entry* entry = from->top();
  from->pop();
  return entry;
}

}  // namespace plboost
