#include "core/base/weighted_quantile.hpp"

#include <algorithm>
#include <cmath>

namespace plboost {
namespace {

double weight_of(std::span<const WeightedValue> values) {
  double sum = 0.0;
  for (const WeightedValue& item : values) sum += item.weight;
  return sum;
}

bool by_value(const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; }

}  // namespace

double weighted_quantile(std::span<WeightedValue> values, double level) {
  if (values.empty()) return 0.0;
  const double total = weight_of(values);
  const double goal = level * total;
  const double rounding = 1e-12 * total;
  // The item lies in [begin, end); those before weigh `below`.
  std::size_t begin = 0;
  std::size_t end = values.size();
  double below = 0.0;
  while (end - begin > 1) {
    const std::size_t middle = begin + (end - begin) / 2;
    std::nth_element(values.data() + begin, values.data() + middle, values.data() + end, by_value);
    const double lower = weight_of(values.subspan(begin, middle - begin));
    if (below + lower >= goal - rounding) {
      end = middle;
    } else {
      below += lower;
      begin = middle;
    }
  }
  const double found = values[begin].value;
  const std::span<WeightedValue> above = values.subspan(begin + 1);
  if (above.empty() || std::abs(below + values[begin].weight - goal) > rounding) return found;
  const double next = std::min_element(above.begin(), above.end(), by_value)->value;
  return found + (next - found) / 2;
}

}  // namespace plboost
