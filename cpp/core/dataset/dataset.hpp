#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned_buffer.hpp"
#include "core/base/bin_view.hpp"
#include "core/base/matrix_view.hpp"
#include "core/base/queries.hpp"
#include "core/base/thread_pool.hpp"
#include "core/binning/feature_bins.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost {

// A feature that can be split on, as the codes of its slot show it. A slot holds one code per row;
// features of few values share one (see joint_codes.hpp).
struct CodedFeature {
  int index = 0;  // its column in the caller's matrix
  const FeatureBins* bins = nullptr;
  std::size_t slot = 0;
  bool shares_slot = false;
  std::size_t n_codes = 0;  // that occur in the slot
  std::array<std::uint8_t, kCodes> bin_of_code{};
  std::array<float, kCodes> values{};  // standardised, by code of the slot
  unsigned highest_level = 0;          // that its bins may be joined at
  // The values by bin, for each level of joined bins.
  std::array<std::vector<float>, kJoinLevels> joined_values;

  // How a node sees its bins; views: by slot, none if all are seen as they are.
  BinView view(std::span<const BinView> views) const {
    if (!views.empty() && can_join()) return views[slot];
    return {.n = static_cast<std::uint8_t>(bins->n_bins())};
  }
  // Alone in its slot, which is seen as far as it holds rows.
  bool can_join() const { return bins->n_bins() > kFewBins && !bins->is_categorical; }
  std::size_t group() const { return slot / kGroupSlots; }
  unsigned shift() const { return 8 * static_cast<unsigned>(slot % kGroupSlots); }
};

// The training data after binning: codes, targets and weights of the rows of positive weight,
// shuffled once. Immutable, so many trainings may read it at the same time. No raw value is kept.
// Four slots form a group and share a 32-bit word per row.
class Dataset {
 public:
  // y has one or more values for every row of x, column after column; `weights`, unless empty, has
  // a weight and `initial_scores`, unless empty, a score for each output, output after output.
  // `query_sizes`, unless empty, are those of consecutive queries.
  Dataset(const MatrixView& x, std::span<const double> y, std::span<const double> weights,
          std::span<const double> initial_scores, const BinningOptions& options, std::uint64_t seed,
          ThreadPool& pool, std::span<const std::int64_t> query_sizes = {});

  std::size_t n_rows() const { return row_order_.size(); }
  std::size_t n_groups() const { return n_groups_; }
  std::size_t n_slots() const { return slot_features_.size(); }

  // Of every column of the caller's matrix.
  const std::vector<FeatureBins>& bins() const { return bins_; }
  // The usable ones, in the order of their columns.
  const std::vector<CodedFeature>& features() const { return features_; }
  // Positions in features() of those that have their codes in this slot.
  std::span<const std::size_t> slot_features(std::size_t slot) const {
    return slot_features_[slot];
  }
  // How many codes its features share; 0 where there is one feature, alone.
  std::size_t shared_codes(std::size_t slot) const {
    const CodedFeature& feature = features_[slot_features_[slot].front()];
    return feature.shares_slot ? feature.n_codes : 0;
  }

  // One word per row: the codes of the group's four slots, the first in the lowest byte.
  std::span<const std::uint32_t> group_codes(std::size_t group) const {
    return codes_.span().subspan(group * n_rows(), n_rows());
  }
  // Column after column.
  std::span<const double> targets() const { return targets_; }
  std::size_t n_target_columns() const { return targets_.size() / n_rows(); }
  // Where the scores start, output after output. Empty: where the loss says.
  std::span<const double> initial_scores() const { return initial_scores_; }
  // Empty: every row weighs 1.
  std::span<const double> weights() const { return weights_; }
  // Empty: the rows know nothing of each other.
  const Queries& queries() const { return queries_; }
  double total_weight() const;
  // Of all that a training reads.
  std::uint64_t fingerprint() const;
  // Row i here is row row_order()[i] of the caller's matrix.
  std::span<const std::uint32_t> row_order() const { return row_order_; }

 private:
  std::vector<double> in_row_order(std::span<const double> columns, std::size_t n_rows) const;
  void choose_rows(std::size_t n_rows, std::span<const double> weights, std::uint64_t seed);
  void find_bins_of(const MatrixView& x, const BinningOptions& options, ThreadPool& pool);
  void share_slots(const MatrixView& x, ThreadPool& pool);
  void encode(const MatrixView& x, ThreadPool& pool);

  std::vector<std::uint32_t> row_order_;
  std::vector<FeatureBins> bins_;
  std::vector<CodedFeature> features_;
  std::vector<std::vector<std::size_t>> slot_features_;
  std::size_t n_groups_ = 0;
  AlignedBuffer<std::uint32_t> codes_;
  std::vector<double> targets_;
  std::vector<double> initial_scores_;
  std::vector<double> weights_;
  Queries queries_;
};

}  // namespace plboost
