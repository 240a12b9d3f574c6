#pragma once

#include "core/objective/objective.hpp"

namespace plboost {

extern const Loss kLambdaRank;

}  // namespace plboost
