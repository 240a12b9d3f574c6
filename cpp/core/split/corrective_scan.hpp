#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/linear/node_model.hpp"
#include "core/linear/ridge.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

// The rows of a node for fully corrective search.
struct CorrectiveRows {
  std::size_t n = 0;
  RowStatistics statistics{};
  std::vector<double>
      regressors;  // [n][k] standardised values of the model's regressors, around `centres`
  std::vector<double> centres;  // [k] their means over the node

  std::size_t n_regressors() const { return centres.size(); }
};

// Where a feature's bins are found.
struct FeatureCodes {
  const std::uint32_t* words;  // of its group, in leaf order
  unsigned shift;              // where in a word its code lies
  const std::uint8_t* bin_of_code;

  std::size_t bin(std::size_t row) const { return bin_of_code[(words[row] >> shift) & 0xffU]; }
};

// The best split of a node on one feature when every slope of the children is solved anew.
Candidate scan_corrective(const CorrectiveRows& rows, const FeatureCodes& codes,
                          const Regressor& feature, const NodeModel& model,
                          const SplitOptions& options, const RidgeOptions& ridge);

}  // namespace plboost
