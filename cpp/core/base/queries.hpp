#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plboost {

// Rows that are ranked against each other, as the documents found for a query.
struct Queries {
  std::vector<std::uint32_t> rows;   // query after query, each in the caller's order
  std::vector<std::size_t> starts;   // of each in `rows`, then the end of the last; empty: none

  bool empty() const { return starts.empty(); }
  std::size_t size() const { return empty() ? 0 : starts.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t query) const {
    return std::span(rows).subspan(starts[query], starts[query + 1] - starts[query]);
  }
};

// The caller's n_rows rows are queries of these sizes, one after another; row i here is row
// row_order[i] there. Rows that are not in the order are in no query, and a query without rows is
// none. Throws InvalidInput for sizes that are not those of n_rows rows.
Queries make_queries(std::span<const std::int64_t> sizes, std::size_t n_rows,
                     std::span<const std::uint32_t> row_order);

// The same where all rows are there, in the caller's order.
Queries consecutive_queries(std::span<const std::int64_t> sizes, std::size_t n_rows);

}  // namespace plboost
