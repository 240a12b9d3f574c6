#pragma once

#include <vector>

namespace plboost {

// Sorts finite values in ascending order.
void sort_values(std::vector<double>& values);

}  // namespace plboost
