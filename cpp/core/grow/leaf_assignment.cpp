#include "core/grow/leaf_assignment.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/take_over.hpp"
#include "core/grow/left_codes.hpp"

namespace plboost {
namespace {

// Rows that go down the tree together: the codes of a dozen groups fit the first-level cache.
constexpr std::size_t kRoutedRows = 512;
// Rows that are sorted by leaf: enough for several to share a leaf, few enough for their codes to
// stay in the second-level cache, and for 16 bits to count them. Small data sets have smaller
// blocks, so that there are some for every thread.
constexpr std::size_t kMostBlockRows = 16384;
constexpr std::size_t kFewestBlockRows = 4096;
constexpr std::size_t kBlocksWanted = 8;

// Rows that a tree was grown on and that belong to one of its leaves, in the order of the ring.
struct GrownRows {
  std::span<const std::uint32_t> rows;
  std::uint16_t leaf;
};

// Of a leaf that was expanded ahead of its turn, which then did not come. Its children's rows are
// in another buffer than its own; those of their children may have taken the place of its own.
bool keeps_rows(const GrowingLeaf& leaf) {
  return !leaf.expanded() || (!leaf.left->expanded() && !leaf.right->expanded());
}

void add_rows(const GrowingLeaf& leaf, std::uint16_t number, const LeafOrder& order,
              std::vector<GrownRows>& grown) {
  if (!keeps_rows(leaf)) {
    add_rows(*leaf.left, number, order, grown);
    add_rows(*leaf.right, number, order, grown);
    return;
  }
  grown.push_back({{order.row_numbers(leaf.rows), leaf.rows.size()}, number});
}

// The same rows, merged.
template <typename LiesBefore>
void merge_rows(const GrowingLeaf& leaf, const LeafOrder& order, LiesBefore lies_before,
                std::vector<std::uint32_t>& rows) {
  if (keeps_rows(leaf)) {
    const std::uint32_t* numbers = order.row_numbers(leaf.rows);
    rows.insert(rows.end(), numbers, numbers + leaf.rows.size());
    return;
  }
  const auto begin = static_cast<std::ptrdiff_t>(rows.size());
  merge_rows(*leaf.left, order, lies_before, rows);
  const auto middle = static_cast<std::ptrdiff_t>(rows.size());
  merge_rows(*leaf.right, order, lies_before, rows);
  std::inplace_merge(rows.begin() + begin, rows.begin() + middle, rows.end(), lies_before);
}

std::size_t choose_block_rows(std::size_t n_rows) {
  return std::clamp(n_rows / kBlocksWanted, kFewestBlockRows, kMostBlockRows);
}

}  // namespace

LeafAssignment::LeafAssignment(const Dataset& dataset)
    : dataset_(dataset),
      block_rows_(choose_block_rows(dataset.n_rows())),
      n_blocks_((dataset.n_rows() + block_rows_ - 1) / block_rows_),
      leaf_of_row_(dataset.n_rows()),
      sorted_rows_(dataset.n_rows()) {}

std::size_t LeafAssignment::block_begin(std::size_t block) const {
  return std::min(block * block_rows_, dataset_.n_rows());
}

std::size_t LeafAssignment::n_rows(std::size_t leaf) const {
  if (!leaf_begins_.empty()) return leaf_begins_[leaf + 1] - leaf_begins_[leaf];
  std::size_t n = 0;
  for (std::size_t block = 0; block < n_blocks_; ++block) n += run(block, leaf).n;
  return n;
}

LeafAssignment::Unit LeafAssignment::lay_out(Unit unit) {
  const bool by_leaf = unit == Unit::kLeaf;
  runs_.resize(n_blocks_ * n_leaves());
  block_stride_ = by_leaf ? 1 : n_leaves();
  leaf_stride_ = by_leaf ? n_blocks_ : 1;
  leaf_begins_.clear();
  if (!by_leaf) return unit;
  leaf_begins_.push_back(0);
  for (const std::size_t node : leaf_nodes_) {
    leaf_begins_.push_back(leaf_begins_.back() + skeleton_->nodes[node].source->rows.size());
  }
  return unit;
}

LeafAssignment::Unit LeafAssignment::start(const Skeleton& skeleton, const LeafOrder& order,
                                           bool takes_leaves, ThreadPool& pool) {
  skeleton_ = &skeleton;
  order_ = &order;
  leaf_nodes_.clear();
  leaf_of_node_.assign(skeleton.nodes.size(), 0);
  for (std::size_t i = 0; i < skeleton.nodes.size(); ++i) {
    if (!skeleton.nodes[i].is_leaf()) continue;
    leaf_of_node_[i] = static_cast<std::uint32_t>(leaf_nodes_.size());
    leaf_nodes_.push_back(i);
  }
  const bool grown_on_all = !order.is_subsample() && order.n_rows() == dataset_.n_rows();
  together_.assign(n_leaves(), nullptr);
  for (std::size_t leaf = 0; leaf < n_leaves() && grown_on_all; ++leaf) {
    const GrowingLeaf& source = *skeleton.nodes[leaf_nodes_[leaf]].source;
    if (keeps_rows(source)) together_[leaf] = &source.rows;
  }
  if (grown_on_all && takes_leaves) return lay_out(Unit::kLeaf);
  if (!order.is_subsample()) take_grown(skeleton, order, pool);
  const std::size_t n = dataset_.n_rows();
  const std::size_t first = order.first_row();
  const std::size_t end = first + order.n_rows();
  if (order.is_subsample()) {
    unseen_ = {{{0, n}, {0, 0}}};
  } else if (end <= n) {
    unseen_ = {{{0, first}, {end, n}}};
  } else {
    unseen_ = {{{end - n, first}, {0, 0}}};
  }
  if (order.is_subsample() || order.n_rows() < n) {
    number_groups(skeleton);
    make_route(skeleton);
  }
  return lay_out(Unit::kBlock);
}

// Every worker has a part of the ring, for neighbouring rows of different leaves share cache lines.
void LeafAssignment::take_grown(const Skeleton& skeleton, const LeafOrder& order,
                                ThreadPool& pool) {
  std::vector<GrownRows> grown;
  for (std::size_t leaf = 0; leaf < n_leaves(); ++leaf) {
    add_rows(*skeleton.nodes[leaf_nodes_[leaf]].source, static_cast<std::uint16_t>(leaf), order,
             grown);
  }
  const auto lies_before = [&](std::size_t row, std::size_t place) {
    const std::size_t turn = row < order.first_row() ? dataset_.n_rows() : 0;
    return row + turn - order.first_row() < place;
  };
  const auto n_parts = static_cast<std::size_t>(pool.size());
  // Where the parts of each leaf's rows begin: found before anybody takes rows over.
  std::vector<std::size_t> begins;
  for (const GrownRows& each : grown) {
    for (std::size_t part = 0; part < n_parts; ++part) {
      const std::size_t place = part * order.n_rows() / n_parts;
      const auto begin = std::lower_bound(each.rows.begin(), each.rows.end(), place, lies_before);
      begins.push_back(static_cast<std::size_t>(begin - each.rows.begin()));
    }
  }
  pool.run(n_parts, [&](std::size_t part, std::size_t) {
    for (std::size_t i = 0; i < grown.size(); ++i) {
      const auto& [rows, leaf] = grown[i];
      const std::size_t* begin = &begins[i * n_parts + part];
      const std::size_t end = part + 1 < n_parts ? begin[1] : rows.size();
      const std::span<const std::uint32_t> own = rows.subspan(*begin, end - *begin);
      if (n_parts > 1) take_over(own.data(), own.size());
      for (const std::uint32_t row : own) leaf_of_row_[row] = leaf;
    }
  });
}

void LeafAssignment::number_groups(const Skeleton& skeleton) {
  constexpr std::size_t kUnused = static_cast<std::size_t>(-1);
  used_groups_.clear();
  place_of_group_.assign(dataset_.n_groups(), kUnused);
  for (const SkeletonNode& node : skeleton.nodes) {
    if (node.is_leaf()) continue;
    const std::size_t group = dataset_.features()[node.source->best.feature].group();
    if (place_of_group_[group] != kUnused) continue;
    place_of_group_[group] = used_groups_.size();
    used_groups_.push_back(group);
  }
}

void LeafAssignment::make_route(const Skeleton& skeleton) {
  route_.assign(skeleton.nodes.size(), RouteNode{});
  for (std::size_t i = 0; i < route_.size(); ++i) {
    RouteNode& node = route_[i];
    if (skeleton.nodes[i].is_leaf()) {
      node.child = static_cast<std::uint32_t>(i);
      std::fill(std::begin(node.left), std::end(node.left), ~0U);
      continue;
    }
    const Candidate& best = skeleton.nodes[i].source->best;
    const CodedFeature& feature = dataset_.features()[best.feature];
    const std::size_t lane = place_of_group_[feature.group()] * kRoutedRows;
    node.place = static_cast<std::uint32_t>(32 * lane) + feature.shift();
    node.child = static_cast<std::uint32_t>(skeleton.nodes[i].left);
    std::ranges::copy(left_codes(feature, best), node.left);
  }
}

void LeafAssignment::assign(std::size_t block) {
  for (const auto& [begin, end] : unseen_) {
    route_rows(std::max(begin, block_begin(block)), std::min(end, block_begin(block + 1)));
  }
  sort_rows(block);
}

void LeafAssignment::route_rows(std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> words(used_groups_.size() * kRoutedRows);
  std::array<std::uint32_t, kRoutedRows> node;
  for (std::size_t first = begin; first < end; first += kRoutedRows) {
    const std::size_t n = std::min(kRoutedRows, end - first);
    for (std::size_t i = 0; i < used_groups_.size(); ++i) {
      std::memcpy(words.data() + i * kRoutedRows,
                  dataset_.group_codes(used_groups_[i]).data() + first, n * sizeof(std::uint32_t));
    }
    kernels().route(route_.data(), {words.data(), n}, node.data());
    for (std::size_t i = 0; i < n; ++i) {
      leaf_of_row_[first + i] = static_cast<std::uint16_t>(leaf_of_node_[node[i]]);
    }
  }
}

void LeafAssignment::sort_rows(std::size_t block) {
  const std::size_t begin = block_begin(block);
  const std::span<const std::uint16_t> leaf =
      std::span(leaf_of_row_).subspan(begin, block_begin(block + 1) - begin);
  std::vector<std::uint32_t> next(n_leaves(), 0U);
  for (const std::uint16_t l : leaf) ++next[l];
  auto place = static_cast<std::uint32_t>(begin);
  for (std::size_t l = 0; l < n_leaves(); ++l) {
    run(block, l) = {place, next[l]};
    next[l] = place;
    place += run(block, l).n;
  }
  for (std::size_t i = 0; i < leaf.size(); ++i) {
    sorted_rows_[next[leaf[i]]++] = static_cast<std::uint16_t>(i);
  }
}

// In the order of the ring. They are merged where they no longer lie side by side.
std::span<const std::uint32_t> LeafAssignment::grown_rows(
    std::size_t l, std::size_t worker, std::vector<std::uint32_t>& merged) const {
  const GrowingLeaf& leaf = *skeleton_->nodes[leaf_nodes_[l]].source;
  if (together_[l] == nullptr) {
    const std::size_t first_row = order_->first_row();
    merge_rows(
        leaf, *order_,
        [first_row](std::size_t a, std::size_t b) {
          const bool is_behind = a < first_row;
          return is_behind == (b < first_row) ? a < b : !is_behind;
        },
        merged);
    return merged;
  }
  const std::span rows{order_->row_numbers(leaf.rows), leaf.rows.size()};
  if (leaf.rows.writer != worker) take_over(rows.data(), rows.size());
  return rows;
}

// In the order of the data set, whose first rows are behind the others in the ring.
void LeafAssignment::assign_leaf(std::size_t l, std::size_t worker) {
  std::vector<std::uint32_t> merged;
  const std::span<const std::uint32_t> rows = grown_rows(l, worker, merged);
  auto place = static_cast<std::uint32_t>(leaf_begins_[l]);
  std::size_t block = 0;
  run(block, l) = {place, 0};
  const auto add = [&](std::span<const std::uint32_t> some) {
    for (const std::uint32_t row : some) {
      while (row >= block_begin(block + 1)) run(++block, l) = {place, 0};
      ++run(block, l).n;
      sorted_rows_[place++] = static_cast<std::uint16_t>(row - block_begin(block));
    }
  };
  const auto turn = std::partition_point(
      rows.begin(), rows.end(), [&](std::size_t row) { return row >= order_->first_row(); });
  add({turn, rows.end()});
  add({rows.begin(), turn});
  while (++block < n_blocks_) run(block, l) = {place, 0};
}

}  // namespace plboost
