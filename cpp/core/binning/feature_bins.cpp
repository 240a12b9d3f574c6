#include "core/binning/feature_bins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/bin_view.hpp"
#include "core/base/error.hpp"
#include "core/binning/sort.hpp"

namespace plboost {
namespace {

// Differences and midpoints of two values must not overflow.
constexpr double kLargestValue = 0x1p1020;

struct Distinct {
  double value;
  double weight;
};

std::vector<Distinct> count_distinct(std::vector<double>& values) {
  sort_values(values);
  std::vector<Distinct> items;
  for (const double value : values) {
    if (items.empty() || items.back().value != value) items.push_back({value, 0.0});
    items.back().weight += 1.0;
  }
  return items;
}

std::vector<Distinct> distinct_finite(std::span<const double> values,
                                      std::span<const double> weights) {
  if (weights.empty()) {
    std::vector<double> finite;
    finite.reserve(values.size());
    for (const double value : values) {
      if (std::isfinite(value)) {
        finite.push_back(std::clamp(value, -kLargestValue, kLargestValue));
      }
    }
    return count_distinct(finite);
  }
  std::vector<Distinct> items;
  items.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const double value = std::clamp(values[i], -kLargestValue, kLargestValue);
    items.push_back({value, weights[i]});
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Distinct& a, const Distinct& b) { return a.value < b.value; });
  std::size_t n_distinct = 0;
  for (const Distinct& item : items) {
    if (n_distinct > 0 && items[n_distinct - 1].value == item.value) {
      items[n_distinct - 1].weight += item.weight;
    } else {
      items[n_distinct++] = item;
    }
  }
  items.resize(n_distinct);
  return items;
}

// The index behind the last value of every bin: equal weight per bin, frequent values in bins of
// their own.
std::vector<std::size_t> bin_ends(const std::vector<Distinct>& distinct, int max_bins) {
  std::vector<std::size_t> ends;
  const std::size_t n = distinct.size();
  if (n <= static_cast<std::size_t>(max_bins)) {
    for (std::size_t k = 0; k < n; ++k) ends.push_back(k + 1);
    return ends;
  }
  double total = 0.0;
  for (const Distinct& item : distinct) total += item.weight;
  const double frequent_weight = total / max_bins;
  const auto frequent = [&](std::size_t k) { return distinct[k].weight >= frequent_weight; };
  double rest_weight = 0.0;
  int rest_bins = max_bins;
  for (std::size_t k = 0; k < n; ++k) {
    if (frequent(k)) {
      --rest_bins;
    } else {
      rest_weight += distinct[k].weight;
    }
  }
  const auto target_of = [](double weight, int bins) {
    return bins > 0 ? weight / bins : std::numeric_limits<double>::infinity();
  };
  double target = target_of(rest_weight, rest_bins);
  double current = 0.0;
  for (std::size_t k = 0; k + 1 < n && ends.size() + 1 < static_cast<std::size_t>(max_bins); ++k) {
    current += distinct[k].weight;
    if (!frequent(k)) rest_weight -= distinct[k].weight;
    if (!frequent(k) && current < target && !(frequent(k + 1) && current >= target / 2)) continue;
    ends.push_back(k + 1);
    current = 0.0;
    if (!frequent(k)) target = target_of(rest_weight, --rest_bins);
  }
  ends.push_back(n);
  return ends;
}

double edge_between(double low, double high) {
  const double middle = low + (high - low) / 2;
  return middle < high ? middle : low;
}

// Mean and standard deviation of the bin means, free of overflow for any finite values.
void standardise(FeatureBins& bins, const std::vector<double>& weights) {
  double total = 0.0;
  for (const double weight : weights) total += weight;
  double mean = 0.0;
  for (std::size_t b = 0; b < weights.size(); ++b) mean += bins.means[b] * (weights[b] / total);
  double reach = 0.0;
  for (const double value : bins.means) reach = std::max(reach, std::abs(value - mean));
  double square = 0.0;
  for (std::size_t b = 0; b < weights.size() && reach > 0.0; ++b) {
    const double deviation = (bins.means[b] - mean) / reach;
    square += deviation * deviation * (weights[b] / total);
  }
  const double deviation = reach * std::sqrt(square);
  bins.mean = mean;
  // Below it there are no digits to go by.
  bins.scale = deviation >= std::numeric_limits<double>::min() ? deviation : 1.0;
  for (const double value : bins.means) {
    bins.values.push_back(static_cast<float>((value - mean) / bins.scale));
  }
  bins.values.push_back(0.0F);
}

}  // namespace

std::uint8_t FeatureBins::code(double value) const {
  if (std::isnan(value)) return static_cast<std::uint8_t>(missing_code());
  const auto edge = std::lower_bound(edges.begin(), edges.end(), value);
  return static_cast<std::uint8_t>(edge - edges.begin());
}

void FeatureBins::set_feature_scale(const FeatureScale& given) {
  mean = given.mean;
  scale = given.scale;
  low = given.low;
  high = given.high;
  for (std::size_t b = 0; b < means.size(); ++b) {
    values[b] = static_cast<float>(given.standardise(means[b]));
  }
}

std::vector<float> FeatureBins::joined_values(unsigned level) const {
  std::vector<float> joined(((means.size() - 1) >> level) + 1);
  for (std::size_t bin = 0; bin < joined.size(); ++bin) {
    joined[bin] = values[middle_bin(bin, level, means.size())];
  }
  return joined;
}

unsigned FeatureBins::highest_level() const {
  if (is_categorical || n_bins() <= kFewBins) return 0;
  for (unsigned level = 1; level < kJoinLevels; ++level) {
    double lost = 0.0;
    for (std::size_t bin = 0; bin < means.size(); ++bin) {
      const float middle = values[middle_bin(bin >> level, level, means.size())];
      const double error = static_cast<double>(values[bin]) - static_cast<double>(middle);
      lost += error * error;
    }
    if (lost > kLostVariance * static_cast<double>(means.size())) return level - 1;
  }
  return kJoinLevels - 1;
}

FeatureBins find_bins(std::span<const double> values, std::span<const double> weights,
                      const BinningOptions& options) {
  FeatureBins bins;
  bins.has_missing =
      std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  const std::vector<Distinct> distinct = distinct_finite(values, weights);
  if (distinct.empty()) {
    bins.values.push_back(0.0F);
    return bins;
  }
  bins.low = distinct.front().value;
  bins.high = distinct.back().value;
  std::vector<double> bin_weights;
  std::size_t begin = 0;
  for (const std::size_t end : bin_ends(distinct, options.max_bins)) {
    double weight = 0.0;
    for (std::size_t k = begin; k < end; ++k) weight += distinct[k].weight;
    double mean = 0.0;
    for (std::size_t k = begin; k < end; ++k) {
      mean += distinct[k].value * (distinct[k].weight / weight);
    }
    bin_weights.push_back(weight);
    bins.means.push_back(std::clamp(mean, distinct[begin].value, distinct[end - 1].value));
    if (end < distinct.size()) {
      bins.edges.push_back(edge_between(distinct[end - 1].value, distinct[end].value));
    }
    begin = end;
  }
  standardise(bins, bin_weights);
  return bins;
}

FeatureBins category_bins(std::span<const double> values, std::size_t n_categories) {
  FeatureBins bins;
  bins.is_categorical = true;
  for (const double value : values) {
    if (std::isnan(value)) {
      bins.has_missing = true;
    } else if (!(value >= 0.0 && value < static_cast<double>(n_categories)) ||
               value != std::floor(value)) {
      throw InvalidInput("a categorical feature must hold the codes 0 to " +
                         std::to_string(n_categories) + " - 1 or NaN, got " + shown(value) + ".");
    }
  }
  for (std::size_t code = 0; code < n_categories; ++code) {
    bins.means.push_back(static_cast<double>(code));
    if (code > 0) bins.edges.push_back(static_cast<double>(code) - 0.5);
  }
  bins.values.assign(n_categories + 1, 0.0F);
  bins.high = n_categories > 0 ? bins.means.back() : 0.0;
  return bins;
}

}  // namespace plboost
