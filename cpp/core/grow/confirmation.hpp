#pragma once

namespace plboost {

// What rows that the search of a tree has not seen say of it: with f its outputs for them, the sum
// of -g f, less what comes of the rows' own part in the fits of the leaves, and that of h f^2. A
// tree that is all signal has a ratio of 1, one that is all noise of 0.
struct Confirmation {
  double agreement = 0.0;
  double size = 0.0;

  Confirmation& operator+=(const Confirmation& other) {
    agreement += other.agreement;
    size += other.size;
    return *this;
  }
};

}  // namespace plboost
