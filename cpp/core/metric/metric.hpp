#pragma once

#include <span>
#include <string_view>

namespace plboost {

// How far scores (before the link) are from the targets: a weighted mean over rows. To add one,
// write its file and list it in registry.cpp.
struct Metric {
  std::string_view name;
  double (*evaluate)(std::span<const double> scores, std::span<const double> targets,
                     std::span<const double> weights);  // weights may be empty: all 1
};

// Throws InvalidInput for an unknown name.
const Metric& find_metric(std::string_view name);

}  // namespace plboost
