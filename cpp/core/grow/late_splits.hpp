#pragma once

#include <span>

#include "core/base/confirmation.hpp"
#include "core/grow/leaf_assignment.hpp"
#include "core/grow/skeleton.hpp"
#include "core/split/bounds.hpp"

namespace plboost {

// What rows that the tree does not know of say of the later half of its splits: of the differences
// between the mean outputs of two leaves and that of both together. `outputs` are the leaves' own,
// `of_ones` what these rows say of an output of 1 in each leaf.
Confirmation confirm_late_splits(const Skeleton& skeleton, const LeafAssignment& assignment,
                                 std::span<const OutputSummary> outputs,
                                 std::span<const Confirmation> of_ones);

}  // namespace plboost
