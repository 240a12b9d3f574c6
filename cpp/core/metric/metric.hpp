#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace plboost {

// How far scores (before the link) are from the targets: a weighted mean over rows. To add one,
// write its file and list it in registry.cpp.
struct Metric {
  std::string_view name;
  double (*evaluate)(std::span<const double> scores, std::span<const double> targets,
                     std::span<const double> weights);  // weights may be empty: all 1
  // The same of several outputs, whose scores follow one another; null: the mean over the outputs.
  double (*evaluate_joint)(std::span<const double> scores, std::span<const double> targets,
                           std::span<const double> weights, std::size_t n_outputs) = nullptr;
};

// Of one or more outputs. Throws InvalidInput where targets and scores do not match.
double evaluate(const Metric& metric, std::span<const double> scores,
                std::span<const double> targets, std::span<const double> weights,
                std::size_t n_rows);

// Throws InvalidInput for an unknown name.
const Metric& find_metric(std::string_view name);

}  // namespace plboost
