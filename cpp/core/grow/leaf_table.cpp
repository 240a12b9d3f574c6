#include "core/grow/leaf_table.hpp"

#include <algorithm>

namespace plboost {

void LeafTableBuffer::start(const LeafTerms& leaf, std::size_t most_rows,
                            const RowStatistics& statistics) {
  // Lanes that begin a multiple of 4096 bytes apart would compete for places of the first-level
  // cache.
  constexpr std::size_t kLine = 8;
  std::size_t stride = (most_rows + 2 * kLine - 1) / kLine * kLine;
  if (stride % 64 == 0) stride += kLine;
  const std::size_t needed = (kTableX + leaf.n_terms + 1) * stride + 8 * leaf.n_terms;
  if (memory_.size() < needed) {
    memory_ = AlignedBuffer<double>(std::max(needed, 2 * memory_.size()));
  }
  table_ = {.lanes = memory_.data(),
            .stride = stride,
            .n = 0,
            .n_columns = leaf.n_terms,
            .weighted = statistics.w != nullptr};
}

void LeafTableBuffer::add(const LeafTerms& leaf, const LeafRows& rows,
                          const RowStatistics& statistics) {
  kernels().fetch_rows(leaf, rows, statistics, table_.n, table_);
  table_.n += rows.n;
}

const LeafTable& LeafTableBuffer::fetch(const LeafTerms& leaf, const LeafRows& rows,
                                        const RowStatistics& statistics) {
  start(leaf, rows.n, statistics);
  add(leaf, rows, statistics);
  return table_;
}

}  // namespace plboost
