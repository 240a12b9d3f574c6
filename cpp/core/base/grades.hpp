#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace plboost {

// Throws InvalidInput, naming the loss or metric, for targets other than 0, 1, ... 31.
void check_grades(std::string_view user, std::span<const double> grades);

// What a document of this grade is worth: a grade more is worth about twice as much.
double gain_of(double grade);

// What the place in a ranking, counted from 0, leaves of it.
double discount_of(std::size_t rank);

}  // namespace plboost
