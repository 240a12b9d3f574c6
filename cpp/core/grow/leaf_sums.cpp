#include "core/grow/leaf_sums.hpp"

#include <array>
#include <numeric>

#include "core/base/take_over.hpp"

namespace plboost {
namespace {

// Up to so many rows leaves are taken one by one.
constexpr std::size_t kFewRows = std::size_t{1} << 19;
// Tasks of a pass. Each has sums of its own, added up in order: few enough to keep those small.
constexpr std::size_t kMostChunks = 32;
constexpr std::size_t kMomentBytes = std::size_t{128} << 20;
// Leaves that one task fits: their solutions take too little time to share each.
constexpr std::size_t kLeavesTogether = 32;

const float* or_null(std::span<const float> values) {
  return values.empty() ? nullptr : values.data();
}

// The sum of g^2 / w: w rows of weight 1 have as much. Four at a time: a sum waits for the one
// before it.
double squares_of(const LeafTable& table) {
  const double* g = table.lanes + kTableG * table.stride;
  const double* w = table.lanes + kTableW * table.stride;
  std::array<double, 4> sums{};
  for (std::size_t i = 0; i < table.n; i += sums.size()) {
    for (std::size_t j = 0; j < sums.size(); ++j) {  // there are zeros behind the last row
      const double square = g[i + j] * g[i + j];
      sums[j] += !table.weighted ? square : w[i + j] > 0.0 ? square / w[i + j] : 0.0;
    }
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

LeafSums::LeafSums(const Dataset& dataset, ThreadPool& pool)
    : dataset_(dataset),
      pool_(pool),
      by_leaf_(dataset.n_rows() <= kFewRows),
      weights_(dataset.weights().begin(), dataset.weights().end()),
      assignment_(dataset),
      buffers_(static_cast<std::size_t>(pool.size())),
      fitted_(by_leaf_ ? dataset.n_rows() : 0) {}

void LeafSums::start(const Skeleton& skeleton, const LeafOrder& order, const Gradients& gradients) {
  unit_ = assignment_.start(skeleton, order, by_leaf_, pool_);
  order_ = &order;
  gradients_ = gradients;
}

void LeafSums::run(std::span<const LeafTerms> leaves, const Fit& fit) {
  leaves_ = leaves;
  lay_out();
  if (!by_leaf_) {
    run_chunks(fit);
    return;
  }
  if (unit_ == LeafAssignment::Unit::kBlock) {
    pool_.run(assignment_.n_blocks(),
              [&](std::size_t block, std::size_t) { assignment_.assign(block); });
  }
  const std::vector<std::size_t> order = leaves_by_writer();
  pool_.run(order.size(),
            [&](std::size_t at, std::size_t worker) { run_leaf(order[at], fit, worker); });
}

void LeafSums::lay_out() {
  n_columns_ = 0;
  for (const LeafTerms& leaf : leaves_) n_columns_ = std::max(n_columns_, leaf.n_terms);
  const std::size_t n_blocks = assignment_.n_blocks();
  const std::size_t bytes = leaves_.size() * leaf_size() * sizeof(double);
  const std::size_t most = std::clamp<std::size_t>(kMomentBytes / bytes, 2, kMostChunks);
  chunk_blocks_ = (n_blocks + most - 1) / most;
  n_chunks_ = (n_blocks + chunk_blocks_ - 1) / chunk_blocks_;
  const std::size_t n_parts = (by_leaf_ ? 1 : n_chunks_) * leaves_.size();
  moments_.assign(n_parts * leaf_size(), 0.0);
  left_out_.assign(n_parts * kLeftOutSums, 0.0);
  fitted_intercepts_.resize(leaves_.size());
}

// Workers get runs of them: mostly leaves whose rows they have moved themselves. A tree may have a
// quarter of the rows in one leaf: the largest come first, so that nobody waits for them at the
// end.
std::vector<std::size_t> LeafSums::leaves_by_writer() const {
  std::vector<std::size_t> order(leaves_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto writer = [this](std::size_t leaf) {
    const NodeRows* rows = rows_together(leaf);
    return rows == nullptr ? NodeRows::kManyWriters : rows->writer;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return writer(a) != writer(b) ? writer(a) < writer(b)
                                  : assignment_.n_rows(a) > assignment_.n_rows(b);
  });
  return order;
}

void LeafSums::take_leaf(const LeafTerms& leaf, const RowStatistics& statistics, std::size_t n) {
  for (std::size_t j = 0; j < leaf.n_terms; ++j) take_over(leaf.terms[j].words, n);
  for (const float* lane : {statistics.g, statistics.h, statistics.w}) {
    if (lane != nullptr) take_over(lane, n);
  }
}

// In the order of the data set, wherever they are read.
void LeafSums::fetch_leaf(std::size_t l, std::size_t n_rows, std::size_t worker) {
  const LeafTerms& leaf = leaves_[l];
  LeafTableBuffer& buffer = buffers_[worker];
  buffer.start(leaf, n_rows, statistics());
  if (const NodeRows* together = rows_together(l)) {
    const RowStatistics statistics = order_->rows(*together, n_rows).statistics;
    if (together->writer != worker) take_leaf(leaf, statistics, n_rows);
    const std::uint32_t* numbers = order_->row_numbers(*together);
    const std::uint32_t* turn = std::partition_point(
        numbers, numbers + n_rows, [&](std::size_t row) { return row >= order_->first_row(); });
    const auto n_before = static_cast<std::size_t>(turn - numbers);
    buffer.add(leaf, {n_before, nullptr, n_rows - n_before}, statistics);
    buffer.add(leaf, {0, nullptr, n_before}, statistics);
    return;
  }
  for (std::size_t block = 0; block < assignment_.n_blocks(); ++block) {
    const LeafRows rows = assignment_.rows(block, l);
    if (buffers_.size() > 1) take_over(rows.rows, rows.n);
    buffer.add(leaf, rows, statistics());
  }
}

void LeafSums::run_leaf(std::size_t l, const Fit& fit, std::size_t worker) {
  const LeafTerms& leaf = leaves_[l];
  LeafTableBuffer& buffer = buffers_[worker];
  if (unit_ == LeafAssignment::Unit::kLeaf) assignment_.assign_leaf(l, worker);
  const std::size_t n_blocks = assignment_.n_blocks();
  double* moments = moments_.data() + l * leaf_size();
  for (std::size_t block = 0; block < n_blocks; ++block) {
    moments[leaf_size() - 2] += weight_of(assignment_.rows(block, l));
  }
  fetch_leaf(l, assignment_.n_rows(l), worker);
  kernels().add_moments(buffer.table(), moments);
  moments[leaf_size() - 1] = squares_of(buffer.table());
  if (const std::optional<LeftOutFit> left_out = fit(l)) {
    kernels().add_left_out(buffer.table(), leaf, *left_out, buffer.scratch(),
                           left_out_.data() + l * kLeftOutSums);
  }
  kernels().leaf_outputs(buffer.table(), leaf, buffer.outputs());
  fitted_intercepts_[l] = leaf.intercept;
  const double* outputs = buffer.outputs();
  for (std::size_t block = 0; block < n_blocks; ++block) {
    const std::size_t n = assignment_.rows(block, l).n;
    std::copy_n(outputs, n, fitted_.data() + assignment_.place(block, l));
    outputs += n;
  }
}

template <typename Before, typename Add>
void LeafSums::sum_chunks(std::vector<double>& sums, std::size_t n_sums, Before&& before,
                          Add&& add) {
  const std::size_t n_leaves = leaves_.size();
  pool_.run(n_chunks_, [&](std::size_t chunk, std::size_t worker) {
    double* of_chunk = sums.data() + chunk * n_leaves * n_sums;
    for_each_block(chunk, [&](std::size_t block) {
      before(block);
      for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        const LeafRows rows = assignment_.rows(block, leaf);
        if (rows.n > 0) add(leaf, rows, buffers_[worker], of_chunk + leaf * n_sums);
      }
    });
  });
  pool_.run_range(n_leaves, kLeavesTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t chunk = 1; chunk < n_chunks_; ++chunk) {
      const double* other = sums.data() + chunk * n_leaves * n_sums;
      for (std::size_t i = begin * n_sums; i < end * n_sums; ++i) sums[i] += other[i];
    }
  });
}

void LeafSums::run_chunks(const Fit& fit) {
  sum_chunks(
      moments_, leaf_size(), [&](std::size_t block) { assignment_.assign(block); },
      [&](std::size_t leaf, const LeafRows& rows, LeafTableBuffer& buffer, double* sums) {
        const LeafTable& table = buffer.fetch(leaves_[leaf], rows, statistics());
        kernels().add_moments(table, sums);
        sums[leaf_size() - 2] += weight_of(rows);
        sums[leaf_size() - 1] += squares_of(table);
      });
  std::vector<std::optional<LeftOutFit>> fits(leaves_.size());
  pool_.run_range(leaves_.size(), kLeavesTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) fits[leaf] = fit(leaf);
  });
  if (std::none_of(fits.begin(), fits.end(), [](const auto& each) { return each.has_value(); })) {
    return;
  }
  sum_chunks(
      left_out_, kLeftOutSums, [](std::size_t) {},
      [&](std::size_t l, const LeafRows& rows, LeafTableBuffer& buffer, double* sums) {
        if (!fits[l]) return;
        const LeafTerms& leaf = leaves_[l];
        const LeafTable& table = buffer.fetch(leaf, rows, statistics());
        kernels().add_left_out(table, leaf, *fits[l], buffer.scratch(), sums);
      });
}

std::span<double> LeafSums::outputs(std::size_t block, const ShrunkLeaf& leaf, std::size_t worker) {
  const LeafTerms& terms = leaves_[leaf.number];
  const LeafRows rows = assignment_.rows(block, leaf.number);
  LeafTableBuffer& buffer = buffers_[worker];
  if (by_leaf_) {
    buffer.start({}, rows.n, {});
    const double* fitted = fitted_.data() + assignment_.place(block, leaf.number);
    if (buffers_.size() > 1) {
      take_over(fitted, rows.n);
      take_over(rows.rows, rows.n);
    }
    const double rest = terms.intercept - leaf.part * fitted_intercepts_[leaf.number];
    double* outputs = buffer.outputs();
    for (std::size_t i = 0; i < rows.n; ++i) outputs[i] = rest + leaf.part * fitted[i];
  } else {
    const LeafTable& table = buffer.fetch(terms, rows, {});
    kernels().leaf_outputs(table, terms, buffer.outputs());
  }
  return {buffer.outputs(), rows.n};
}

const float* LeafSums::hessians() const {
  return gradients_.h.empty() ? or_null(weights_) : gradients_.h.data();
}

RowStatistics LeafSums::statistics() const {
  const std::span<const float> known = gradients_.w.empty() ? weights_ : gradients_.w;
  return {gradients_.g.data(), hessians(), nullptr, or_null(known)};
}

double LeafSums::weight_of(const LeafRows& rows) const {
  const float* weights = statistics().w;
  if (weights == nullptr) return static_cast<double>(rows.n);
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.n; ++i) {
    sum += static_cast<double>(weights[rows.first + rows.rows[i]]);
  }
  return sum;
}

}  // namespace plboost
