#include "core/base/queries.hpp"

#include <limits>
#include <numeric>
#include <string>

#include "core/base/error.hpp"

namespace plboost {
namespace {

void check_sizes(std::span<const std::int64_t> sizes, std::size_t n_rows) {
  std::size_t left = n_rows;
  for (const std::int64_t size : sizes) {
    if (size < 1) {
      throw InvalidInput("group must hold sizes of at least 1, got " + std::to_string(size) + ".");
    }
    if (static_cast<std::size_t>(size) > left) {
      throw InvalidInput("group must sum to the " + std::to_string(n_rows) +
                         " rows of X, got more.");
    }
    left -= static_cast<std::size_t>(size);
  }
  if (left == 0) return;
  throw InvalidInput("group must sum to the " + std::to_string(n_rows) + " rows of X, got " +
                     std::to_string(n_rows - left) + ".");
}

}  // namespace

Queries make_queries(std::span<const std::int64_t> sizes, std::size_t n_rows,
                     std::span<const std::uint32_t> row_order) {
  check_sizes(sizes, n_rows);
  constexpr auto kAbsent = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> place(n_rows, kAbsent);
  for (std::size_t i = 0; i < row_order.size(); ++i) {
    place[row_order[i]] = static_cast<std::uint32_t>(i);
  }
  Queries queries;
  queries.rows.reserve(row_order.size());
  queries.starts.push_back(0);
  std::size_t row = 0;
  for (const std::int64_t size : sizes) {
    for (const std::size_t end = row + static_cast<std::size_t>(size); row < end; ++row) {
      if (place[row] != kAbsent) queries.rows.push_back(place[row]);
    }
    if (queries.rows.size() > queries.starts.back()) queries.starts.push_back(queries.rows.size());
  }
  return queries;
}

Queries consecutive_queries(std::span<const std::int64_t> sizes, std::size_t n_rows) {
  std::vector<std::uint32_t> rows(n_rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return make_queries(sizes, n_rows, rows);
}

}  // namespace plboost
