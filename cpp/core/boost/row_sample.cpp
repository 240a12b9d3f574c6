#include "core/boost/row_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.hpp"

namespace plboost {
namespace {

constexpr double kTopPart = 2.0 / 3.0;

}  // namespace

RowSample::RowSample(const Dataset& dataset, std::size_t n, const RowSampleOptions& options)
    : dataset_(dataset), n_(n) {
  const std::size_t n_rows = dataset.n_rows();
  if (n_ >= n_rows || options.method == SubsampleMethod::kUniform) return;
  const double wanted = options.top_rate > 0.0 ? options.top_rate * static_cast<double>(n_rows)
                                               : kTopPart * static_cast<double>(n_);
  // One row at least stands for the rest.
  n_top_ = std::min(n_ - 1, static_cast<std::size_t>(std::floor(wanted + 0.5)));
  stands_for_ =
      static_cast<float>(static_cast<double>(n_rows - n_top_) / static_cast<double>(n_ - n_top_));
  is_top_.resize(n_rows);
}

Gradients RowSample::draw(const Gradients& all, std::uint64_t place) {
  const std::size_t n_rows = dataset_.n_rows();
  if (n_ >= n_rows) return all;
  if (!is_top_.empty() || drawn_for_ != place) draw_rows(all, place);
  set_weights(all);
  return {g_, h_, w_, rows_};
}

void RowSample::draw_rows(const Gradients& all, std::uint64_t place) {
  const std::size_t n_rows = dataset_.n_rows();
  Random random(place);
  if (!is_top_.empty()) {
    keep_top(all, random.below(static_cast<std::uint32_t>(n_rows)));
  }
  // Knuth's algorithm S: every set of as many rows is as likely, and they come in order.
  rows_.clear();
  std::size_t wanted = n_ - n_top_;
  std::size_t left = n_rows - n_top_;
  for (std::size_t row = 0; row < n_rows; ++row) {
    bool taken = !is_top_.empty() && is_top_[row];
    if (!taken) {
      taken = random.below(static_cast<std::uint32_t>(left)) < wanted;
      if (taken) --wanted;
      --left;
    }
    if (taken) rows_.push_back(static_cast<std::uint32_t>(row));
  }
  drawn_for_ = place;
}

// Of rows with equal gradients, which some losses give to most, the first behind `first` are kept:
// not the same ones in every tree.
void RowSample::keep_top(const Gradients& all, std::uint32_t first) {
  order_.resize(dataset_.n_rows());
  std::iota(order_.begin(), order_.end(), 0U);
  std::nth_element(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(n_top_),
                   order_.end(), [&](std::uint32_t one, std::uint32_t other) {
                     const float a = std::abs(all.g[one]);
                     const float b = std::abs(all.g[other]);
                     // As unsigned numbers the rows before `first` come last.
                     return a != b ? a > b : one - first < other - first;
                   });
  std::fill(is_top_.begin(), is_top_.end(), 0);
  for (std::size_t i = 0; i < n_top_; ++i) is_top_[order_[i]] = 1;
}

// Rows that were not drawn weigh nothing.
void RowSample::set_weights(const Gradients& all) {
  const std::size_t n_rows = dataset_.n_rows();
  const std::span<const double> weights = dataset_.weights();
  for (auto* lane : {&g_, &h_, &w_}) lane->assign(n_rows, 0.0F);
  for (const std::uint32_t row : rows_) {
    const float factor = is_top_.empty() || is_top_[row] ? 1.0F : stands_for_;
    const float weight = weights.empty() ? 1.0F : static_cast<float>(weights[row]);
    w_[row] = factor * weight;
    g_[row] = factor * all.g[row];
    h_[row] = factor * (all.h.empty() ? weight : all.h[row]);
  }
}

}  // namespace plboost
