#pragma once

#include "core/kernels/kernels.hpp"

namespace plboost::generic {

// Eight rows go down side by side until all have come to a leaf: each step waits for the memory of
// the one before it, other rows' steps do not.
template <typename Isa>
void route(const RouteNode* nodes, const CodeBlock& block, std::uint32_t* node_of_row) {
  constexpr std::size_t kRows = 8;
  for (std::size_t begin = 0; begin < block.n; begin += kRows) {
    const std::size_t count = block.n - begin < kRows ? block.n - begin : kRows;
    std::uint32_t at[kRows] = {};
    for (std::uint32_t moved = 1; moved != 0;) {
      moved = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const RouteNode& node = nodes[at[i]];
        const std::uint32_t code =
            (block.words[(node.place >> 5) + begin + i] >> (node.place & 31U)) & 0xffU;
        const std::uint32_t is_left = (node.left[code / 32] >> (code % 32)) & 1U;
        const std::uint32_t next = node.child + 1 - is_left;
        moved |= next ^ at[i];
        at[i] = next;
      }
    }
    for (std::size_t i = 0; i < count; ++i) node_of_row[begin + i] = at[i];
  }
}

// Rows that are alone, or nearly, go on by themselves.
inline constexpr int kFewRows = 3;

template <typename Isa>
[[gnu::always_inline]] inline std::uint32_t walk(const RouteNode* nodes, std::uint32_t at,
                                                 const std::uint32_t* words) {
  for (;;) {
    const RouteNode& node = nodes[at];
    if (node.child == at) return at;
    const std::uint32_t code = (words[node.place >> 5] >> (node.place & 31U)) & 0xffU;
    at = node.child + 1 - ((node.left[code / 32] >> (code % 32)) & 1U);
  }
}

// Where a target marks sixty-four rows at a time, they stay together: a node sends those that came
// to it to its two sides by one mask, and reads their codes in a row.
template <typename Isa, auto kMarkLeft>
void route_together(const RouteNode* nodes, const CodeBlock& block, std::uint32_t* node_of_row) {
  struct Visit {
    std::uint32_t node;
    std::uint64_t rows;
  };
  for (std::size_t begin = 0; begin < block.n; begin += 64) {
    const std::size_t count = block.n - begin < 64 ? block.n - begin : 64;
    const std::uint32_t* words = block.words + begin;
    std::uint32_t* out = node_of_row + begin;
    Visit waiting[64];  // each has rows of its own
    std::size_t n_waiting = 1;
    waiting[0] = {0, count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1};
    while (n_waiting > 0) {
      auto [at, rows] = waiting[--n_waiting];
      const RouteNode* node = nodes + at;
      while (node->child != at && __builtin_popcountll(rows) > kFewRows) {
        std::uint64_t left;
        kMarkLeft(words + (node->place >> 5), node->place & 31U, node->left, count, &left);
        const std::uint64_t to_right = rows & ~left;
        rows &= left;
        at = node->child;
        if (rows == 0) {
          rows = to_right;
          ++at;
        } else if (to_right != 0) {
          waiting[n_waiting++] = {at + 1, to_right};
        }
        node = nodes + at;
      }
      for (; rows != 0; rows &= rows - 1) {
        const auto row = static_cast<std::size_t>(__builtin_ctzll(rows));
        out[row] = walk<Isa>(nodes, at, words + row);
      }
    }
  }
}

}  // namespace plboost::generic
