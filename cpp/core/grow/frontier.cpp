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

Frontier::Task Frontier::next(std::size_t worker) {
  const auto take_search = [](std::vector<Task>& from) {
    const Task task = from.back();
    from.pop_back();
    return task;
  };
  const auto split = [](const Entry* entry) {
    return Task{Task::Kind::kSplit, entry->leaf, &entry->rank};
  };
  if (!unsearched_[worker].empty()) return take_search(unsearched_[worker]);
  if (is_sure(open_[worker])) return split(take_top(open_[worker]));
  Queue* best = best_queue();
  if (best != nullptr && is_sure(*best)) return split(take_top(*best));
  for (std::vector<Task>& of_another : unsearched_) {
    if (!of_another.empty()) return take_search(of_another);
  }
  return best == nullptr ? Task{} : split(take_top(*best));
}

const Frontier::Entry* Frontier::next_split() {
  Queue* best = best_queue();
  return best == nullptr ? nullptr : take_top(*best);
}

Frontier::Queue* Frontier::best_queue() {
  Queue* best = nullptr;
  for (Queue& queue : open_) {
    if (!may_belong(queue)) continue;
    if (best == nullptr || best->top()->rank < queue.top()->rank) best = &queue;
  }
  return best;
}

const Frontier::Entry* Frontier::take_top(Queue& queue) {
  const Entry* entry = queue.top();
  queue.pop();
  return entry;
}

}  // namespace plboost
