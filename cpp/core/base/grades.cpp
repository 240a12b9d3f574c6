#include "core/base/grades.hpp"

#include <cmath>
#include <string>

#include "core/base/error.hpp"

namespace plboost {

void check_grades(std::string_view user, std::span<const double> grades) {
  for (const double grade : grades) {
    if (grade >= 0.0 && grade <= 31.0 && grade == std::floor(grade)) continue;
    throw InvalidInput("y must hold grades, whole numbers between 0 and 31, for " +
                       std::string(user) + ", got " + shown(grade) + ".");
  }
}

double gain_of(double grade) { return std::ldexp(1.0, static_cast<int>(grade)) - 1.0; }

double discount_of(std::size_t rank) { return 1.0 / std::log2(2.0 + static_cast<double>(rank)); }

}  // namespace plboost
