#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace plboost {

// Bad data, a bad parameter or a bad model. Becomes a ValueError in Python; the message names the
// culprit, the value received and what is allowed.
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// A number as a person would write it.
inline std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace plboost
