#pragma once

#include <string_view>
#include <vector>

#include "core/tree/forest.hpp"

namespace plboost {

// Per feature, over all splits: "gain" sums their gains, "split" counts them.
std::vector<double> feature_importance(const Forest& forest, std::string_view kind);

}  // namespace plboost
