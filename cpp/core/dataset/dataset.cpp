#include "core/dataset/dataset.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "core/base/error.hpp"
#include "core/base/fingerprint.hpp"
#include "core/base/random.hpp"
#include "core/dataset/joint_codes.hpp"

namespace plboost {
namespace {

constexpr std::size_t kLargestRowCount = std::numeric_limits<std::int32_t>::max();
// Squares of targets, and sums of what trees add to them, must stay finite.
constexpr double kLargestTarget = 1e150;
constexpr double kLargestTotalWeight = 1e30;
// Columns read together: a cache line of float64 in a matrix of rows.
constexpr std::size_t kColumns = 8;
// Rows encoded by one task.
constexpr std::size_t kGrain = 4096;
// Slots that a feature of few bins, which may share one, is tried in, the latest: thousands of
// columns are not tried with each other.
constexpr std::size_t kTriedSlots = 128;

void check_shapes(const MatrixView& x, std::span<const double> y, std::span<const double> weights,
                  std::span<const double> initial_scores) {
  if (x.n_rows == 0 || x.n_columns == 0) {
    throw InvalidInput("X must have at least one row and one feature, got " +
                       std::to_string(x.n_rows) + " rows and " + std::to_string(x.n_columns) +
                       " features.");
  }
  if (x.n_rows > kLargestRowCount) {
    throw InvalidInput("X has " + std::to_string(x.n_rows) + " rows; at most " +
                       std::to_string(kLargestRowCount) + " are supported.");
  }
  if (y.empty() || y.size() % x.n_rows != 0) {
    throw InvalidInput("y must have one value per row of X: got " + std::to_string(y.size()) +
                       " values for " + std::to_string(x.n_rows) + " rows.");
  }
  if (initial_scores.size() % x.n_rows != 0) {
    throw InvalidInput("init_score must have one value per row of X and output: got " +
                       std::to_string(initial_scores.size()) + " values for " +
                       std::to_string(x.n_rows) + " rows.");
  }
  if (!weights.empty() && weights.size() != x.n_rows) {
    throw InvalidInput("sample_weight must have one value per row of X: got " +
                       std::to_string(weights.size()) + " values for " + std::to_string(x.n_rows) +
                       " rows.");
  }
}

void check_sizes(const char* name, std::span<const double> values, std::size_t n_rows) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i]) <= kLargestTarget)) {
      throw InvalidInput(std::string(name) + " must be finite and within +-1e150, got " +
                         shown(values[i]) + " in row " + std::to_string(i % n_rows) + ".");
    }
  }
}

void check_weights(std::span<const double> weights) {
  double total = 0.0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    total += weights[row];
    if (!(weights[row] >= 0.0) || !std::isfinite(weights[row])) {
      throw InvalidInput("sample_weight must be finite and not negative, got " +
                         shown(weights[row]) + " in row " + std::to_string(row) + ".");
    }
  }
  if (total > kLargestTotalWeight) {
    throw InvalidInput(
        "sample_weight must sum to at most 1e30: sums are kept in float32. Divide the weights by "
        "their mean.");
  }
}

void check_categories(const BinningOptions& options, std::size_t n_columns) {
  const std::vector<std::int32_t>& n_categories = options.n_categories;
  if (n_categories.empty()) return;
  if (n_categories.size() != n_columns) {
    throw InvalidInput("n_categories must have one value per feature: got " +
                       std::to_string(n_categories.size()) + " values for " +
                       std::to_string(n_columns) + " features.");
  }
  for (const std::int32_t n : n_categories) {
    if (n < 0 || n > options.max_bins) {
      throw InvalidInput("n_categories must be between 0 and max_bins=" +
                         std::to_string(options.max_bins) + ", got " + std::to_string(n) + ".");
    }
  }
}

// Calls each(feature, values) for `count` neighbouring columns of the given rows.
template <typename Each>
void read_columns(const MatrixView& x, std::span<const std::uint32_t> rows, std::size_t first,
                  std::size_t count, std::vector<double>& buffer, Each&& each) {
  buffer.resize(count * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < count; ++j) buffer[j * rows.size() + i] = x.at(rows[i], first + j);
  }
  for (std::size_t j = 0; j < count; ++j) {
    each(first + j, std::span<const double>(buffer).subspan(j * rows.size(), rows.size()));
  }
}

// The bins of features, all rows of one after the other. Columns side by side are read together:
// rows are in random order, and a line of memory serves all of them.
class ColumnCodes {
 public:
  ColumnCodes(const MatrixView& x, std::span<const std::uint32_t> rows, ThreadPool& pool)
      : x_(x), rows_(rows), pool_(pool) {}

  // Until the next call. Features must be asked for in the order of their columns, and only those
  // that `wanted` accepts.
  template <typename Wanted>
  std::span<const std::uint8_t> of(const CodedFeature& feature,
                                   std::span<const CodedFeature> features, Wanted&& wanted) {
    const auto column = static_cast<std::size_t>(feature.index);
    if (column >= end_) read(column, features, wanted);
    return std::span<const std::uint8_t>(codes_).subspan((column - first_) * rows_.size(),
                                                         rows_.size());
  }

 private:
  template <typename Wanted>
  void read(std::size_t column, std::span<const CodedFeature> features, Wanted&& wanted) {
    const std::size_t most = std::clamp<std::size_t>(kMostBytes / rows_.size(), 1, kColumns);
    first_ = column;
    end_ = std::min(first_ + most, x_.n_columns);
    codes_.resize((end_ - first_) * rows_.size());
    std::array<const CodedFeature*, kColumns> by_column{};
    for (const CodedFeature& each : features) {
      const auto index = static_cast<std::size_t>(each.index);
      if (index >= first_ && index < end_ && wanted(each)) by_column[index - first_] = &each;
    }
    pool_.run_range(rows_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<double> buffer;
      read_columns(x_, rows_.subspan(begin, end - begin), first_, end_ - first_, buffer,
                   [&](std::size_t at, std::span<const double> values) {
                     const CodedFeature* each = by_column[at - first_];
                     if (each == nullptr) return;
                     std::uint8_t* to = codes_.data() + (at - first_) * rows_.size() + begin;
                     each->bins->encode(values,
                                        [&](std::size_t i, std::uint8_t code) { to[i] = code; });
                   });
    });
  }

  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  const MatrixView& x_;
  std::span<const std::uint32_t> rows_;
  ThreadPool& pool_;
  std::size_t first_ = 0;  // columns [first_, end_) are there
  std::size_t end_ = 0;
  std::vector<std::uint8_t> codes_;
};

}  // namespace

Dataset::Dataset(const MatrixView& x, std::span<const double> y, std::span<const double> weights,
                 std::span<const double> initial_scores, const BinningOptions& options,
                 std::uint64_t seed, ThreadPool& pool, std::span<const std::int64_t> query_sizes) {
  if (options.max_bins < 2 || options.max_bins > 255) {
    throw InvalidInput("max_bins must be between 2 and 255, got " +
                       std::to_string(options.max_bins) + ": bin codes are stored in 8 bits.");
  }
  check_shapes(x, y, weights, initial_scores);
  if (!options.scales.empty() && options.scales.size() != x.n_columns) {
    throw InvalidInput("X has " + std::to_string(x.n_columns) +
                       " features, the model to continue " + std::to_string(options.scales.size()) +
                       ".");
  }
  check_categories(options, x.n_columns);
  check_sizes("y", y, x.n_rows);
  check_sizes("init_score", initial_scores, x.n_rows);
  check_weights(weights);
  choose_rows(x.n_rows, weights, seed);
  targets_ = in_row_order(y, x.n_rows);
  weights_ = in_row_order(weights, x.n_rows);
  initial_scores_ = in_row_order(initial_scores, x.n_rows);
  if (!query_sizes.empty()) queries_ = make_queries(query_sizes, x.n_rows, row_order_);
  find_bins_of(x, options, pool);
  share_slots(x, pool);
  encode(x, pool);
}

std::vector<double> Dataset::in_row_order(std::span<const double> columns,
                                          std::size_t n_rows) const {
  std::vector<double> ordered;
  ordered.reserve(columns.size() / n_rows * row_order_.size());
  for (std::size_t first = 0; first < columns.size(); first += n_rows) {
    for (const std::uint32_t row : row_order_) ordered.push_back(columns[first + row]);
  }
  return ordered;
}

double Dataset::total_weight() const {
  if (weights_.empty()) return static_cast<double>(n_rows());
  double total = 0.0;
  for (const double weight : weights_) total += weight;
  return total;
}

std::uint64_t Dataset::fingerprint() const {
  Fingerprint fingerprint;
  for (const FeatureBins& bins : bins_) {
    fingerprint.add(std::span(bins.edges));
    fingerprint.add(std::span(bins.values));
    const FeatureScale scale = bins.feature_scale();
    const double numbers[] = {scale.mean, scale.scale, scale.low, scale.high};
    fingerprint.add(std::span<const double>(numbers));
  }
  fingerprint.add(std::span<const std::uint32_t>(codes_.span()));
  fingerprint.add(std::span(targets_));
  fingerprint.add(std::span(initial_scores_));
  fingerprint.add(std::span(weights_));
  fingerprint.add(std::span(queries_.rows));
  fingerprint.add(std::span(queries_.starts));
  return fingerprint.value();
}

void Dataset::choose_rows(std::size_t n_rows, std::span<const double> weights, std::uint64_t seed) {
  row_order_.reserve(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (weights.empty() || weights[row] > 0.0) {
      row_order_.push_back(static_cast<std::uint32_t>(row));
    }
  }
  if (row_order_.empty()) {
    throw InvalidInput("sample_weight must have a positive value, got zeros only.");
  }
  Random(seed).shuffle(std::span(row_order_));
}

void Dataset::find_bins_of(const MatrixView& x, const BinningOptions& options, ThreadPool& pool) {
  bins_.resize(x.n_columns);
  // The order is random, so its beginning is a fair sample.
  const std::size_t n = std::min(n_rows(), options.sample_rows);
  const std::span<const std::uint32_t> rows = std::span(row_order_).first(n);
  const std::span<const double> weights =
      weights_.empty() ? std::span<const double>{} : std::span<const double>(weights_).first(n);
  // As many parts for every worker.
  const auto n_workers = static_cast<std::size_t>(pool.size());
  const std::size_t n_parts = (x.n_columns / kColumns / n_workers + 1) * n_workers;
  pool.run(n_parts, [&](std::size_t part, std::size_t) {
    const std::size_t first = part * x.n_columns / n_parts;
    const std::size_t end = (part + 1) * x.n_columns / n_parts;
    std::vector<double> buffer;
    read_columns(x, rows, first, end - first, buffer,
                 [&](std::size_t feature, std::span<const double> values) {
                   if (!options.n_categories.empty() && options.n_categories[feature] > 0) {
                     bins_[feature] = category_bins(
                         values, static_cast<std::size_t>(options.n_categories[feature]));
                     return;
                   }
                   bins_[feature] = find_bins(values, weights, options);
                   if (!options.scales.empty()) {
                     bins_[feature].set_feature_scale(options.scales[feature]);
                   }
                 });
  });
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    if (!bins_[i].usable()) continue;
    CodedFeature feature;
    feature.index = static_cast<int>(i);
    feature.bins = &bins_[i];
    feature.highest_level = feature.bins->highest_level();
    for (unsigned level = 0; level <= feature.highest_level; ++level) {
      feature.joined_values[level] = feature.bins->joined_values(level);
    }
    features_.push_back(feature);
  }
}

// Gives every feature its slot; those of few values share where they can. The codes of shared slots
// are written at once.
void Dataset::share_slots(const MatrixView& x, ThreadPool& pool) {
  std::vector<JointCodes> joint;
  std::vector<std::vector<std::size_t>> members;
  ColumnCodes columns(x, row_order_, pool);
  JointCodes::PairTable pairs = JointCodes::pair_table();
  const auto few = [](const CodedFeature& feature) {
    return feature.bins->n_bins() <= kFewBins && !feature.bins->is_categorical;
  };
  const auto n_few = std::count_if(features_.begin(), features_.end(), few);
  for (std::size_t f = 0; f < features_.size(); ++f) {
    if (n_few < 2 || !few(features_[f])) {
      features_[f].slot = slot_features_.size();
      features_[f].n_codes = static_cast<std::size_t>(features_[f].bins->n_codes());
      slot_features_.push_back({f});
      continue;
    }
    const std::span<const std::uint8_t> bins = columns.of(features_[f], features_, few);
    std::size_t at = joint.size() < kTriedSlots ? 0 : joint.size() - kTriedSlots;
    while (at < joint.size() && !joint[at].add(bins, pairs)) ++at;
    if (at == joint.size()) {
      joint.emplace_back(n_rows()).add(bins, pairs);
      members.emplace_back();
    }
    members[at].push_back(f);
  }
  n_groups_ = (slot_features_.size() + joint.size() + kGroupSlots - 1) / kGroupSlots;
  codes_ = AlignedBuffer<std::uint32_t>(n_groups_ * n_rows());
  std::fill_n(codes_.data(), codes_.size(), 0U);
  for (std::size_t k = 0; k < joint.size(); ++k) {
    const std::size_t slot = slot_features_.size();
    slot_features_.push_back(members[k]);
    for (std::size_t m = 0; m < members[k].size(); ++m) {
      CodedFeature& feature = features_[members[k][m]];
      feature.slot = slot;
      feature.shares_slot = true;
      feature.n_codes = joint[k].n_codes();
      feature.bin_of_code = joint[k].bin_of_code(m);
    }
    std::uint32_t* words = codes_.data() + slot / kGroupSlots * n_rows();
    for (std::size_t i = 0; i < n_rows(); ++i) {
      words[i] |= std::uint32_t{joint[k].codes()[i]} << (8 * (slot % kGroupSlots));
    }
  }
  for (CodedFeature& feature : features_) {
    for (std::size_t code = 0; code < kCodes; ++code) {
      if (!feature.shares_slot) feature.bin_of_code[code] = static_cast<std::uint8_t>(code);
      const std::size_t bin = feature.bin_of_code[code];
      feature.values[code] = bin < feature.bins->values.size() ? feature.bins->values[bin] : 0.0F;
    }
  }
}

void Dataset::encode(const MatrixView& x, ThreadPool& pool) {
  std::vector<const CodedFeature*> by_column(x.n_columns, nullptr);
  for (const CodedFeature& feature : features_) {
    if (!feature.shares_slot) by_column[static_cast<std::size_t>(feature.index)] = &feature;
  }
  pool.run_range(n_rows(), kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<double> buffer;
    const std::span<const std::uint32_t> rows = std::span(row_order_).subspan(begin, end - begin);
    for (std::size_t first = 0; first < x.n_columns; first += kColumns) {
      const std::size_t count = std::min(kColumns, x.n_columns - first);
      read_columns(x, rows, first, count, buffer,
                   [&](std::size_t column, std::span<const double> values) {
                     const CodedFeature* feature = by_column[column];
                     if (feature == nullptr) return;
                     std::uint32_t* words = codes_.data() + feature->group() * n_rows() + begin;
                     feature->bins->encode(values, [&](std::size_t i, std::uint8_t code) {
                       words[i] |= std::uint32_t{code} << feature->shift();
                     });
                   });
    }
  });
}

}  // namespace plboost
