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
  frontier_.add(root_.get(), {}, 0);
  for (;;) {
    expand_large();
    expand_rest();
    GrowingLeaf* left_out = assemble(root_.get(), options_.max_leaves, skeleton_);
    if (left_out == nullptr) return skeleton_;
    // Only among leaves of equal gain can the frontier's guess be short of one.
    expansion_.expand(*left_out, 0, nullptr);
    add_children({{left_out->best.gain, Frontier::kLast}, left_out}, 0);
  }
}

void Grower::add_children(const Frontier::Entry& entry, std::size_t worker) {
  frontier_.add(entry.leaf->left.get(), entry.rank, worker);
  frontier_.add(entry.leaf->right.get(), entry.rank, worker);
}

void Grower::expand_large() {
  if (pool_.size() == 1) return;
  std::vector<const Frontier::Entry*> small;
  while (const Frontier::Entry* entry = frontier_.next(0)) {
    if (entry->leaf->rows.size() < kLargeNode) {
      small.push_back(entry);
      continue;
    }
    check_interrupt_();
    expansion_.expand(*entry->leaf, 0, &pool_);
    add_children(*entry, 0);
  }
  for (const Frontier::Entry* left_out : small) frontier_.put_back(left_out);
}

void Grower::expand_rest() {
  std::mutex mutex;  // guards the frontier and what follows
  Signal changed;
  int n_busy = 0;
  bool failed = false;
  pool_.run(static_cast<std::size_t>(pool_.size()), [&](std::size_t, std::size_t worker) {
    std::unique_lock lock(mutex);
    for (;;) {
      const Frontier::Entry* entry = nullptr;
      changed.wait(lock, [&] {
        if (!failed) entry = frontier_.next(worker);
        return failed || entry != nullptr || n_busy == 0;
      });
      if (entry == nullptr) break;
      ++n_busy;
      lock.unlock();
      try {
        if (worker == 0) check_interrupt_();
        expansion_.expand(*entry->leaf, worker, nullptr);
        lock.lock();
        add_children(*entry, worker);
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
