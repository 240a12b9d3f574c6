#pragma once

#include <cstddef>
#include <span>

#include "core/base/matrix_view.hpp"
#include "core/base/thread_pool.hpp"
#include "core/tree/forest.hpp"

namespace plboost {

// Adds the outputs of trees [first, last) to the scores of the rows of x, tree by tree: adding in
// two calls gives the same bits as adding in one. Scores of one output follow those of another:
// scores[output * x.n_rows + row].
void add_outputs(const Forest& forest, std::size_t first, std::size_t last, const MatrixView& x,
                 std::span<double> scores, ThreadPool& pool);

}  // namespace plboost
