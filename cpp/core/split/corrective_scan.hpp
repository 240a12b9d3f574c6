#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/linear/node_model.hpp"
#include "core/linear/ridge.hpp"
#include "core/split/candidate.hpp"

namespace plboost {

// The rows of a node for fully corrective search.
struct CorrectiveRows {
  std::size_t n = 0;
  const float* g = nullptr;
  const float* h = nullptr;
  const float* w = nullptr;
  std::vector<double>
      regressors;  // [n][k] standardised values of the model's regressors, around `centres`
  std::vector<double> centres;  // [k] their means over the node

  std::size_t n_regressors() const { return centres.size(); }
};

// The best split of a node on one feature when every slope of the children is solved anew. `words`
// are the code words of the feature's group in leaf order, `shift` is where in a word its code
// lies.
Candidate scan_corrective(const CorrectiveRows& rows, const std::uint32_t* words, unsigned shift,
                          const Regressor& feature, const NodeModel& model,
                          const SplitOptions& options, const RidgeOptions& ridge);

}  // namespace plboost
