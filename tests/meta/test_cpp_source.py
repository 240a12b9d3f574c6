from __future__ import annotations

import pytest

from tests.meta.cpp_source import functions, includes

SOURCE = """\
#include <vector>
#  include "core/base/error.hpp"
#define MACRO(x) \\
  {              \\
    x
namespace plboost {
// A brace in a comment { and one in a string:
const char* text = "{";
constexpr int kTable[] = {
    1,
    2,
};
template <class Body, int N = (1 > 0)>
struct Grower {
  explicit Grower(int n)
      : a_{n},
        b_{2} {
    grow();
  }
  void short_one() const { if (a_) { return; } }
 private:
  int a_{0};
};
template <class T>
double long_one(T value,
                double other) {
  const auto lambda = [&](int i) {
    return i + '{';
  };
  for (;;) {
  }
}
}  // namespace plboost
"""


def test_functions_are_found_with_their_lines() -> None:
    found = {function.name: function for function in functions(SOURCE)}
    assert (found["Grower"].first_line, found["Grower"].n_lines) == (15, 5)
    assert (found["short_one"].first_line, found["short_one"].n_lines) == (20, 1)
    assert (found["long_one"].first_line, found["long_one"].n_lines) == (24, 9)


@pytest.mark.parametrize("name", ["kTable", "lambda", "plboost", "MACRO"])
def test_tables_lambdas_and_scopes_are_no_functions(name: str) -> None:
    assert not any(name in function.name for function in functions(SOURCE))


def test_includes_are_found_in_both_forms() -> None:
    assert includes(SOURCE) == ["vector", "core/base/error.hpp"]
