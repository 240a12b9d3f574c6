#include "core/grow/grower.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "core/base/signal.hpp"

namespace plboost {
namespace {

// Nodes of at least this many rows are expanded by all threads together, smaller ones by one thread
// each.
constexpr std::size_t kLargeNode = 32768;

}  // namespace

Grower::Grower(const Dataset& dataset, const GrowOptions& options, ThreadPool& pool,
               std::function<void()> check_interrupt)
    : options_(options),
      pool_(pool),
      check_interrupt_(std::move(check_interrupt)),
      expansion_(dataset, options_, pool),
      frontier_(0, 1, Frontier::kLast) {}

// The paper expands a leaf (moves its rows, searches its children) when it is the best of all. That
// does not depend on any other leaf, so those that will probably be split are expanded side by
// side, ahead of their turn. Which of them are split, and in what order, is decided by assemble()
// alone: the tree is the same for any number of threads.
const Skeleton& Grower::grow(const Gradients& gradients, std::size_t first_row,
                             std::uint64_t place) {
  root_ = expansion_.plant(gradients, first_row, place);
  frontier_ = Frontier(static_cast<std::size_t>(options_.max_leaves) - 1,
                       static_cast<std::size_t>(pool_.size()), skeleton_.least_gain);
  frontier_.add(root_, {}, 0);
  for (;;) {
    expand_large();
    expand_rest();
    GrowingLeaf* left_out = assemble(root_, options_.max_leaves, skeleton_);
    if (left_out == nullptr) return skeleton_;
    // Only among leaves of equal gain can the frontier's guess be short of one.
    expansion_.expand(*left_out, 0, nullptr);
    add_children(*left_out, {left_out->best.gain, Frontier::kLast}, 0);
  }
}

void Grower::add_children(const GrowingLeaf& leaf, const Frontier::Rank& rank, std::size_t worker) {
  frontier_.add(leaf.left, rank, worker);
  frontier_.add(leaf.right, rank, worker);
}

// The larger one is searched first, so that the other is left for whoever has nothing to do.
void Grower::add_unsearched(const GrowingLeaf& leaf, const Frontier::Rank& rank,
                            std::size_t worker) {
  GrowingLeaf* smaller = leaf.left;
  GrowingLeaf* larger = leaf.right;
  if (larger->rows.size() < smaller->rows.size()) std::swap(smaller, larger);
  frontier_.add_unsearched(smaller, rank, worker);
  frontier_.add_unsearched(larger, rank, worker);
}

// Returns what is to be told to the frontier.
Grower::Told Grower::perform(const Frontier::Task& task, std::size_t worker) {
  GrowingLeaf& leaf = *task.leaf;
  if (task.kind == Frontier::Task::Kind::kSearch) {
    expansion_.search(leaf, worker);
    return Told::kLeaf;
  }
  // One child may be had from the other.
  if (leaf.histogram) {
    expansion_.expand(leaf, worker, nullptr);
    return Told::kChildren;
  }
  expansion_.split(leaf, worker, nullptr);
  return Told::kUnsearched;
}

void Grower::expand_large() {
  if (pool_.size() == 1) return;
  std::vector<const Frontier::Entry*> small;
  while (const Frontier::Entry* entry = frontier_.next_split()) {
    if (entry->leaf->rows.size() < kLargeNode) {
      small.push_back(entry);
      continue;
    }
    check_interrupt_();
    expansion_.expand(*entry->leaf, 0, &pool_);
    add_children(*entry->leaf, entry->rank, 0);
  }
  for (const Frontier::Entry* left_out : small) frontier_.put_back(left_out);
}

void Grower::expand_rest() {
  std::mutex mutex;  // guards the frontier and what follows
  Signal changed;
  int n_busy = 0;
  bool failed = false;
  pool_.run(static_cast<std::size_t>(pool_.size()), [&](std::size_t, std::size_t worker) {
    std::unique_lock lock(mutex, std::defer_lock);
    lock_soon(lock);
    for (;;) {
      Frontier::Task task;
      changed.wait(lock, [&] {
        if (!failed) task = frontier_.next(worker);
        return failed || task.leaf != nullptr || n_busy == 0;
      });
      if (task.leaf == nullptr) break;
      ++n_busy;
      lock.unlock();
      try {
        if (worker == 0) check_interrupt_();
        const Told told = perform(task, worker);
        lock_soon(lock);
        if (told == Told::kLeaf) frontier_.add(task.leaf, *task.rank, worker);
        if (told == Told::kChildren) add_children(*task.leaf, *task.rank, worker);
        if (told == Told::kUnsearched) add_unsearched(*task.leaf, *task.rank, worker);
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        failed = true;
        --n_busy;
        changed.notify_all();
        throw;
      }
      --n_busy;
      changed.notify_all();
    }
  });
}

}  // namespace plboost
