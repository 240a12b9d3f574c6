#pragma once

#include <vector>

#include "core/grow/leaf_assignment.hpp"
#include "core/grow/skeleton.hpp"
#include "core/split/bounds.hpp"

namespace plboost {

// Where the outputs of each leaf of a finished tree must stay: at every cut of a monotone feature
// the outputs of one side are not above, those of the other not below a number between them. Then
// no move along that feature changes the output the wrong way (docs/algorithm.md, section 9).
// `leaves` are the outputs of the leaves as they were fitted.
std::vector<Bounds> monotone_bounds(const Skeleton& skeleton, const LeafAssignment& assignment,
                                    const std::vector<OutputSummary>& leaves);

}  // namespace plboost
