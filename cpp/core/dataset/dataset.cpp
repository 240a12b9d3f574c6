#include "core/dataset/dataset.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace plboost {
namespace {

constexpr std::size_t kLargestRowCount = std::numeric_limits<std::int32_t>::max();

void check_shapes(const MatrixView& x, std::span<const double> y, std::span<const double> weights) {
  if (x.n_rows == 0 || x.n_columns == 0) {
    throw InvalidInput("X must have at least one row and one feature, got " +
                       std::to_string(x.n_rows) + " rows and " + std::to_string(x.n_columns) +
                       " features.");
  }
  if (x.n_rows > kLargestRowCount) {
    throw InvalidInput("X has " + std::to_string(x.n_rows) + " rows; at most " +
                       std::to_string(kLargestRowCount) + " are supported.");
  }
  if (y.size() != x.n_rows) {
    throw InvalidInput("y must have one value per row of X: got " + std::to_string(y.size()) +
                       " values for " + std::to_string(x.n_rows) + " rows.");
  }
  if (!weights.empty() && weights.size() != x.n_rows) {
    throw InvalidInput("sample_weight must have one value per row of X: got " +
                       std::to_string(weights.size()) + " values for " + std::to_string(x.n_rows) +
                       " rows.");
  }
}

void check_values(std::span<const double> y, std::span<const double> weights) {
  for (std::size_t row = 0; row < y.size(); ++row) {
    if (!std::isfinite(y[row])) {
      throw InvalidInput("y must be finite, got " + std::to_string(y[row]) + " in row " +
                         std::to_string(row) + ".");
    }
  }
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (!(weights[row] >= 0.0) || !std::isfinite(weights[row])) {
      throw InvalidInput("sample_weight must be finite and not negative, got " +
                         std::to_string(weights[row]) + " in row " + std::to_string(row) + ".");
    }
  }
}

}  // namespace

Dataset::Dataset(const MatrixView& x, std::span<const double> y, std::span<const double> weights,
                 const BinningOptions& options, std::uint64_t seed, ThreadPool& pool) {
  if (options.max_bins < 2 || options.max_bins > 255) {
    throw InvalidInput("max_bins must be between 2 and 255, got " +
                       std::to_string(options.max_bins) + ": bin codes are stored in 8 bits.");
  }
  check_shapes(x, y, weights);
  check_values(y, weights);
  for (std::size_t row = 0; row < x.n_rows; ++row) {
    if (weights.empty() || weights[row] > 0.0) {
      row_order_.push_back(static_cast<std::uint32_t>(row));
    }
  }
  if (row_order_.empty()) {
    throw InvalidInput("sample_weight must have a positive value, got zeros only.");
  }
  Random(seed).shuffle(std::span(row_order_));
  for (const std::uint32_t row : row_order_) {
    targets_.push_back(y[row]);
    weights_.push_back(weights.empty() ? 1.0 : weights[row]);
  }
  find_features(x, options, pool);
  encode(x, pool);
}

void Dataset::find_features(const MatrixView& x, const BinningOptions& options, ThreadPool& pool) {
  features_.resize(x.n_columns);
  pool.run(x.n_columns, [&](std::size_t feature, std::size_t) {
    std::vector<double> values(n_rows());
    for (std::size_t i = 0; i < n_rows(); ++i) values[i] = x.at(row_order_[i], feature);
    features_[feature] = find_bins(values, weights_, options);
  });
  for (std::size_t feature = 0; feature < features_.size(); ++feature) {
    if (features_[feature].usable()) slot_features_.push_back(static_cast<int>(feature));
  }
}

void Dataset::encode(const MatrixView& x, ThreadPool& pool) {
  codes_ = AlignedBuffer<std::uint32_t>(n_groups() * n_rows());
  pool.run(n_groups(), [&](std::size_t group, std::size_t) {
    std::uint32_t* words = codes_.data() + group * n_rows();
    std::fill(words, words + n_rows(), 0U);
    for (std::size_t f = 0; f < kGroupFeatures; ++f) {
      const std::size_t slot = group * kGroupFeatures + f;
      if (slot >= n_slots()) break;
      const FeatureBins& bins = slot_bins(slot);
      const auto feature = static_cast<std::size_t>(slot_feature(slot));
      for (std::size_t i = 0; i < n_rows(); ++i) {
        words[i] |= std::uint32_t{bins.code(x.at(row_order_[i], feature))} << (8 * f);
      }
    }
  });
}

}  // namespace plboost
