#pragma once

#include "core/metric/metric.hpp"

namespace plboost {

extern const Metric kLogLossMetric;

}  // namespace plboost
