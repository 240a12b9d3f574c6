#pragma once

namespace plboost {

// What a loss predicts and a metric measures.
enum class Predictions { kNumbers, kPositiveNumbers, kProbabilities, kRanks };

}  // namespace plboost
