#pragma once

#include <span>
#include <vector>

#include "core/grow/feature_rules.hpp"
#include "core/grow/leaf_sums.hpp"
#include "core/grow/options.hpp"
#include "core/grow/skeleton.hpp"
#include "core/linear/leaf_fit.hpp"

namespace plboost {

// By how much the mean outputs of leaves change when they are drawn to what the nodes above them
// say, as far as noise explains where they are (docs/algorithm.md, section 5). `lines` are those of
// the leaves, `believed` the part that each has kept of its slopes.
std::vector<double> drawn_means(const Skeleton& skeleton, const LeafSums& sums,
                                std::span<const LeafLine> lines, std::span<const double> believed,
                                const FeatureRules& rules, const GrowOptions& options);

}  // namespace plboost
