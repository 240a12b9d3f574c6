#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned_buffer.hpp"
#include "core/base/matrix_view.hpp"
#include "core/base/thread_pool.hpp"
#include "core/binning/feature_bins.hpp"
#include "core/kernels/kernels.hpp"

namespace plboost {

// The training data after binning: codes, targets and weights of the rows of positive weight,
// shuffled once. Immutable, so many trainings may read it at the same time. No raw value is kept.
//
// Features that can be split on have a *slot*; four slots form a group and share a 32-bit word per
// row.
class Dataset {
 public:
  // y has a value and `weights`, unless empty, a weight for every row of x.
  Dataset(const MatrixView& x, std::span<const double> y, std::span<const double> weights,
          const BinningOptions& options, std::uint64_t seed, ThreadPool& pool);

  std::size_t n_rows() const { return row_order_.size(); }
  std::size_t n_features() const { return features_.size(); }
  std::size_t n_slots() const { return slot_features_.size(); }
  std::size_t n_groups() const { return (n_slots() + kGroupFeatures - 1) / kGroupFeatures; }

  const std::vector<FeatureBins>& features() const { return features_; }
  int slot_feature(std::size_t slot) const { return slot_features_[slot]; }
  const FeatureBins& slot_bins(std::size_t slot) const {
    return features_[static_cast<std::size_t>(slot_features_[slot])];
  }

  // One word per row: the codes of the group's four slots, the first in the lowest byte.
  std::span<const std::uint32_t> group_codes(std::size_t group) const {
    return codes_.span().subspan(group * n_rows(), n_rows());
  }
  std::span<const double> targets() const { return targets_; }
  std::span<const double> weights() const { return weights_; }
  // Row i here is row row_order()[i] of the caller's matrix.
  std::span<const std::uint32_t> row_order() const { return row_order_; }

 private:
  void find_features(const MatrixView& x, const BinningOptions& options, ThreadPool& pool);
  void encode(const MatrixView& x, ThreadPool& pool);

  std::vector<std::uint32_t> row_order_;
  std::vector<FeatureBins> features_;
  std::vector<int> slot_features_;
  AlignedBuffer<std::uint32_t> codes_;
  std::vector<double> targets_;
  std::vector<double> weights_;
};

}  // namespace plboost
