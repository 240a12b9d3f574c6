#pragma once

#include "core/metric/metric.hpp"

namespace plboost {

extern const Metric kMeanAveragePrecision;

}  // namespace plboost
