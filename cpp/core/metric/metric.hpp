#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/predictions.hpp"
#include "core/base/queries.hpp"

namespace plboost {

// What metrics take from the loss that a model was trained for, and from the rows.
struct MetricParameters {
  double (*link)(double score) = [](double score) { return score; };  // score -> prediction
  std::vector<double> alpha = {0.5};                                  // levels of quantiles
  double power = 1.5;                                                 // of tweedie
  // Of those that measure ranks: the queries of the rows, and how many places of each count.
  const Queries* queries = nullptr;
  std::size_t cutoff = 10;
};

// How far a model is from the targets. All metrics take scores: those that measure predictions
// apply the link themselves. To add one, write its file and list it in registry.cpp.
struct Metric {
  enum class Better { kLower, kHigher };

  std::string_view name;
  Predictions measures = Predictions::kNumbers;
  std::string_view only_loss = {};  // empty: every loss that predicts what it measures
  Better better = Better::kLower;
  double (*evaluate)(std::span<const double> scores, std::span<const double> targets,
                     std::span<const double> weights,  // may be empty: all 1
                     const MetricParameters& parameters);
  // The same of several outputs, whose scores follow one another; null: the mean over the outputs.
  double (*evaluate_joint)(std::span<const double> scores, std::span<const double> targets,
                           std::span<const double> weights, std::size_t n_outputs,
                           const MetricParameters& parameters) = nullptr;
  // Throws InvalidInput for targets that it cannot measure, if they are classes those of
  // n_classes. nullptr: takes all.
  void (*check)(std::span<const double> targets, std::span<const double> weights,
                std::size_t n_classes) = nullptr;
};

// Of one or more outputs. Throws InvalidInput where targets and scores do not match.
double evaluate(const Metric& metric, std::span<const double> scores,
                std::span<const double> targets, std::span<const double> weights,
                std::size_t n_rows, const MetricParameters& parameters);

std::span<const Metric* const> metrics();

// A metric as users ask for it: "ndcg@5" is ndcg with the cutoff 5, "ndcg" that with 10.
struct RequestedMetric {
  const Metric* metric;
  std::size_t cutoff;
};

// Throws InvalidInput for an unknown name, or a cutoff that is none.
RequestedMetric requested_metric(std::string_view name);

// The same without the cutoff.
const Metric& find_metric(std::string_view name);

// Throws InvalidInput, naming both, where the metric does not measure what the loss predicts.
void check_fits(const Metric& metric, std::string_view loss, Predictions predicted);

}  // namespace plboost
