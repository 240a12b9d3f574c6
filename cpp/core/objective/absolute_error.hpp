#pragma once

#include "core/objective/objective.hpp"

namespace plboost {

extern const Loss kAbsoluteError;

}  // namespace plboost
