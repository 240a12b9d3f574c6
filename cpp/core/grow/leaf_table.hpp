#pragma once

#include <cstddef>

#include "core/base/aligned_buffer.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost {

// Memory for the rows of one leaf after another, each of them fetched from all over the data set
// and then used several times.
class LeafTableBuffer {
 public:
  // For up to so many rows of a leaf.
  void start(const LeafTerms& leaf, std::size_t most_rows, const RowStatistics& statistics);
  // Puts rows behind those that are there.
  void add(const LeafTerms& leaf, const LeafRows& rows, const RowStatistics& statistics);
  const LeafTable& table() const { return table_; }

  // The only rows of a leaf.
  const LeafTable& fetch(const LeafTerms& leaf, const LeafRows& rows,
                         const RowStatistics& statistics);

  // A double for each row of the table.
  double* outputs() { return table_.lanes + (kTableX + table_.n_columns) * table_.stride; }
  // Eight doubles for each column.
  double* scratch() { return outputs() + table_.stride; }

 private:
  AlignedBuffer<double> memory_;
  LeafTable table_{};
};

}  // namespace plboost
