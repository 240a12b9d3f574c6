#include "core/grow/leaf_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/aligned_buffer.hpp"
#include "core/grow/monotone_bounds.hpp"
#include "core/linear/left_out.hpp"
#include "core/linear/node_model.hpp"

namespace plboost {
namespace {

// Tasks of a pass. Each has sums of its own, added up in order: few enough to keep those small.
constexpr std::size_t kMostChunks = 32;
constexpr std::size_t kMomentBytes = std::size_t{128} << 20;
// Leaves that one task fits: their solutions take too little time to share each.
constexpr std::size_t kLeavesTogether = 32;

const float* or_null(std::span<const float> values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

struct LeafModelFitter::Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double other_low, double other_high) {
    low = std::min(low, other_low);
    high = std::max(high, other_high);
  }
};

LeafModelFitter::LeafModelFitter(const Dataset& dataset, const GrowOptions& options,
                                 ThreadPool& pool)
    : dataset_(dataset),
      options_(options),
      pool_(pool),
      rules_(dataset, options.constraints),
      assignment_(dataset) {
  weights_.assign(dataset.weights().begin(), dataset.weights().end());
}

template <typename Each>
void LeafModelFitter::for_each_block(std::size_t chunk, Each&& each) const {
  const std::size_t last = std::min((chunk + 1) * chunk_blocks_, assignment_.n_blocks());
  for (std::size_t block = chunk * chunk_blocks_; block < last; ++block) each(block);
}

template <typename Each>
void LeafModelFitter::for_each_leaf(std::size_t block, Each&& each) const {
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
    const LeafRows rows = assignment_.rows(block, leaf);
    if (rows.n > 0) each(leaf, rows);
  }
}

const float* LeafModelFitter::hessians(const Gradients& gradients) const {
  return gradients.h.empty() ? or_null(weights_) : gradients.h.data();
}

Tree LeafModelFitter::fit(const Skeleton& skeleton, const Gradients& gradients,
                          const LeafOrder& order, const std::optional<LeafRenewal>& renewal) {
  assignment_.start(skeleton, order, pool_);
  gradients_ = gradients;
  first_seen_ = order.first_row();
  n_seen_ = order.n_rows();
  lay_out(skeleton);
  pool_.run(n_chunks_, [&](std::size_t chunk, std::size_t) { sum_chunk(chunk, gradients); });
  lines_.resize(leaves_.size());
  believed_.assign(leaves_.size(), 1.0);
  pool_.run_range(leaves_.size(), kLeavesTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      reduce_moments(leaf);
      lines_[leaf] = fit_line(leaf, skeleton.nodes[assignment_.leaf_node(leaf)].source->model);
      set_line(leaf);
    }
  });
  if (options_.slope_shrinkage > 0.0 && options_.ridge.penalty == Penalty::kCentred) {
    shrink_slopes(gradients);
  }
  if (renewal) renew_constants(*renewal, gradients);
  if (rules_.any_monotone()) bound_leaves(skeleton);
  const bool clamps = options_.extrapolation == Extrapolation::kClamp;
  if (clamps && !gradients.w.empty()) bound_to_known_rows();
  return make_tree(skeleton);
}

void LeafModelFitter::lay_out(const Skeleton& skeleton) {
  terms_.clear();
  first_term_.assign(1, 0);
  n_columns_ = 0;
  for (std::size_t l = 0; l < assignment_.n_leaves(); ++l) {
    const GrowingLeaf& leaf = *skeleton.nodes[assignment_.leaf_node(l)].source;
    for (std::size_t j = 0; j < leaf.model.regressors.size(); ++j) {
      const CodedFeature& feature = dataset_.features()[leaf.model.regressors[j].feature];
      terms_.push_back({.words = dataset_.group_codes(feature.group()).data(),
                        .shift = feature.shift(),
                        .values = feature.values.data(),
                        .reference = leaf.references[j],
                        .slope = 0.0});
    }
    first_term_.push_back(terms_.size());
    n_columns_ = std::max(n_columns_, leaf.model.regressors.size());
  }
  leaves_.clear();
  for (std::size_t l = 0; l < assignment_.n_leaves(); ++l) {
    leaves_.push_back({.terms = terms_.data() + first_term_[l],
                       .n_terms = first_term_[l + 1] - first_term_[l],
                       .intercept = 0.0});
  }
  const std::size_t n_blocks = assignment_.n_blocks();
  const std::size_t bytes = leaves_.size() * leaf_size() * sizeof(double);
  const std::size_t most = std::clamp<std::size_t>(kMomentBytes / bytes, 2, kMostChunks);
  chunk_blocks_ = (n_blocks + most - 1) / most;
  n_chunks_ = (n_blocks + chunk_blocks_ - 1) / chunk_blocks_;
  moments_.resize(n_chunks_ * leaves_.size() * leaf_size());
  leaf_weights_.resize(n_chunks_ * leaves_.size());
}

void LeafModelFitter::sum_chunk(std::size_t chunk, const Gradients& gradients) {
  double* moments = moments_.data() + chunk * leaves_.size() * leaf_size();
  double* weights = leaf_weights_.data() + chunk * leaves_.size();
  std::fill_n(moments, leaves_.size() * leaf_size(), 0.0);
  std::fill_n(weights, leaves_.size(), 0.0);
  AlignedBuffer<double> scratch(moment_scratch(n_columns_));
  const std::span<const float> known = row_weights(gradients);
  const auto add = [&](std::size_t l, const LeafRows& rows) {
    kernels().add_moments(leaves_[l], rows, gradients.g.data(), hessians(gradients), scratch.data(),
                          moments + l * leaf_size());
    if (known.empty()) {
      weights[l] += static_cast<double>(rows.n);
      return;
    }
    for (std::size_t i = 0; i < rows.n; ++i) {
      weights[l] += static_cast<double>(known[rows.first + rows.rows[i]]);
    }
  };
  for_each_block(chunk, [&](std::size_t block) {
    assignment_.assign(block);
    for_each_leaf(block, add);
  });
}

void LeafModelFitter::reduce_moments(std::size_t leaf) {
  const std::size_t n_leaves = leaves_.size();
  double* sums = moments_.data() + leaf * leaf_size();
  for (std::size_t chunk = 1; chunk < n_chunks_; ++chunk) {
    const double* other = sums + chunk * n_leaves * leaf_size();
    for (std::size_t i = 0; i < leaf_size(); ++i) sums[i] += other[i];
    leaf_weights_[leaf] += leaf_weights_[chunk * n_leaves + leaf];
  }
}

LeafLine LeafModelFitter::fit_line(std::size_t l, const NodeModel& model) const {
  const std::span<const LeafTerm> terms{leaves_[l].terms, leaves_[l].n_terms};
  const LeafMoments moments = moments_of(l);
  const bool corrective = options_.split.fitting == Fitting::kFullyCorrective;
  if (corrective || options_.leaf_models == LeafModels::kRefit) {
    std::vector<LeafColumn> columns;
    for (std::size_t j = 0; j < terms.size(); ++j) {
      columns.push_back({terms[j].reference,
                         feature_ridge(*model.regressors[j].bins, options_.ridge),
                         rules_.slope_sign(model.regressors[j].feature)});
    }
    return fit_leaf(moments, columns, options_.ridge);
  }
  const FirstColumn first =
      options_.split.fitting == Fitting::kAdditive ? FirstColumn::kFixedAtOne : FirstColumn::kFree;
  LeafColumn column{-model.origin, path_ridge(model, first, options_.ridge)};
  for (std::size_t j = 0; j < terms.size(); ++j) {
    column.reference += model.slopes[j] * terms[j].reference;
    // The slopes of the path have their signs already.
    if (rules_.slope_sign(model.regressors[j].feature) != 0) column.sign = 1;
  }
  return fit_path(moments, model.slopes, column, first, options_.ridge);
}

void LeafModelFitter::set_line(std::size_t l) {
  leaves_[l].intercept = lines_[l].intercept;
  for (std::size_t j = 0; j < lines_[l].slopes.size(); ++j) {
    terms_[first_term_[l] + j].slope = lines_[l].slopes[j];
  }
}

// Slopes keep the part with which they say best what the rows have that are left out, one after
// another.
void LeafModelFitter::shrink_slopes(const Gradients& gradients) {
  const std::size_t n_leaves = leaves_.size();
  const std::vector<double> ridges(n_columns_, options_.ridge.l2_slopes);
  std::vector<LeftOutFactors> factors(n_leaves);
  pool_.run_range(n_leaves, kLeavesTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      factors[leaf] = LeftOutFactors(moments_of(leaf), lines_[leaf], ridges);
    }
  });
  const RowStatistics statistics{gradients.g.data(), hessians(gradients), nullptr,
                                 or_null(row_weights(gradients))};
  std::vector<double> sums(n_chunks_ * n_leaves * kLeftOutSums);
  pool_.run(n_chunks_, [&](std::size_t chunk, std::size_t) {
    AlignedBuffer<double> scratch(moment_scratch(n_columns_));
    double* of_chunk = sums.data() + chunk * n_leaves * kLeftOutSums;
    const auto add = [&](std::size_t leaf, const LeafRows& rows) {
      if (leaves_[leaf].n_terms == 0) return;
      kernels().add_left_out(leaves_[leaf], factors[leaf].fit(options_.slope_shrinkage), rows,
                             statistics, scratch.data(), of_chunk + leaf * kLeftOutSums);
    };
    for_each_block(chunk, [&](std::size_t block) { for_each_leaf(block, add); });
  });
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    double* total = sums.data() + leaf * kLeftOutSums;
    for (std::size_t chunk = 1; chunk < n_chunks_; ++chunk) {
      const double* other = total + chunk * n_leaves * kLeftOutSums;
      for (std::size_t i = 0; i < kLeftOutSums; ++i) total[i] += other[i];
    }
    believed_[leaf] = believed_part(total);
    lines_[leaf].shrink(moments_of(leaf), believed_[leaf]);
    set_line(leaf);
  }
}

void LeafModelFitter::renew_constants(const LeafRenewal& renewal, const Gradients& gradients) {
  pool_.run(leaves_.size(), [&](std::size_t leaf, std::size_t) {
    leaves_[leaf].intercept = 0.0;
    leaves_[leaf].intercept =
        renewed_constant(assignment_, leaf, leaves_[leaf], renewal, gradients.w, weights_);
  });
}

void LeafModelFitter::bound_leaves(const Skeleton& skeleton) {
  std::vector<OutputSummary> outputs;
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    const LeafTerms& leaf = leaves_[l];
    const LeafMoments moments{leaf.n_terms, moments_.data() + l * leaf_size()};
    OutputSummary summary{moments.h(), leaf.intercept, 0.0};
    double square = 0.0;
    for (std::size_t j = 0; j < leaf.n_terms && moments.h() > 0.0; ++j) {
      const double mean = moments.hx(j) / moments.h();
      summary.mean += leaf.terms[j].slope * mean;
      for (std::size_t i = 0; i < leaf.n_terms; ++i) {
        square +=
            leaf.terms[j].slope * leaf.terms[i].slope * (moments.hxx(j, i) - mean * moments.hx(i));
      }
    }
    if (square > 0.0) summary.deviation = std::sqrt(square / moments.h());
    outputs.push_back(summary);
  }
  bounds_ = monotone_bounds(skeleton, assignment_, outputs);
}

// Rows that the tree does not know may lie far beyond those that its leaves were fitted to.
void LeafModelFitter::bound_to_known_rows() {
  std::vector<Range> ranges(n_chunks_ * leaves_.size());
  pool_.run(n_chunks_, [&](std::size_t chunk, std::size_t) {
    std::vector<double> outputs;
    const auto include = [&](std::size_t l, const LeafRows& rows) {
      outputs.resize(rows.n);
      kernels().leaf_outputs(leaves_[l], rows, outputs.data());
      Range& range = ranges[chunk * leaves_.size() + l];
      for (std::size_t i = 0; i < rows.n; ++i) {
        if (gradients_.w[rows.first + rows.rows[i]] > 0.0F) range.include(outputs[i], outputs[i]);
      }
    };
    for_each_block(chunk, [&](std::size_t block) { for_each_leaf(block, include); });
  });
  if (!rules_.any_monotone()) bounds_.assign(leaves_.size(), {});
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    const Range range = range_of(l, ranges);
    bounds_[l] = {bounds_[l].clip(range.low), bounds_[l].clip(range.high)};
  }
}

Tree LeafModelFitter::make_tree(const Skeleton& skeleton) const {
  Tree tree;
  tree.nodes.resize(skeleton.nodes.size());
  for (std::size_t i = skeleton.nodes.size(); i-- > 0;) {
    const SkeletonNode& from = skeleton.nodes[i];
    Node& node = tree.nodes[i];
    if (from.is_leaf()) {
      node.child = static_cast<std::int32_t>(assignment_.leaf_of_node(i));
      node.weight = leaf_weights_[assignment_.leaf_of_node(i)];
      continue;
    }
    const Candidate& best = from.source->best;
    const CodedFeature& feature = dataset_.features()[best.feature];
    node.feature = feature.index;
    node.child = from.left;
    if (best.is_categorical) {
      node.category_set = static_cast<std::int32_t>(tree.category_sets.size());
      tree.category_sets.push_back(best.left_bins);
    } else {
      const bool all_values_left = best.threshold + 1 == feature.bins->n_bins();
      node.threshold = all_values_left
                           ? std::numeric_limits<double>::infinity()
                           : feature.bins->edges[static_cast<std::size_t>(best.threshold)];
    }
    node.missing_left = best.missing_left;
    node.gain = best.gain;
    const auto left = static_cast<std::size_t>(from.left);
    node.weight = tree.nodes[left].weight + tree.nodes[left + 1].weight;
  }
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    const NodeModel& model = skeleton.nodes[assignment_.leaf_node(l)].source->model;
    Leaf leaf{.intercept = leaves_[l].intercept, .first_regressor = tree.regressors.size()};
    for (std::size_t j = 0; j < leaves_[l].n_terms; ++j) {
      const LeafTerm& term = leaves_[l].terms[j];
      if (term.slope == 0.0) continue;
      leaf.intercept -= term.slope * term.reference;
      const CodedFeature& feature = dataset_.features()[model.regressors[j].feature];
      tree.regressors.push_back({.feature = feature.index, .slope = term.slope});
    }
    leaf.n_regressors = tree.regressors.size() - leaf.first_regressor;
    tree.leaves.push_back(leaf);
  }
  return tree;
}

// A row's own part in its output is, on average over a leaf's rows, -(g + h f) / H for each
// coefficient of its fit.
Confirmation LeafModelFitter::confirm(std::size_t leaf, const LeafRows& rows,
                                      const double* outputs) const {
  const float* h = hessians(gradients_);
  const std::size_t n_rows = dataset_.n_rows();
  Confirmation sums;
  double own = 0.0;
  for (std::size_t i = 0; i < rows.n; ++i) {
    const std::size_t row = rows.first + rows.rows[i];
    const std::size_t place = row >= first_seen_ ? row - first_seen_ : row + n_rows - first_seen_;
    if (place < n_seen_) continue;
    const double gradient = static_cast<double>(gradients_.g[row]);
    const double hessian_output = (h == nullptr ? 1.0 : static_cast<double>(h[row])) * outputs[i];
    sums.agreement -= gradient * outputs[i];
    sums.size += hessian_output * outputs[i];
    own += gradient * (gradient + hessian_output);
  }
  const double coefficients = 1.0 + believed_[leaf] * static_cast<double>(leaves_[leaf].n_terms);
  if (moments_of(leaf).h() > 0.0) sums.agreement -= coefficients * own / moments_of(leaf).h();
  return sums;
}

Confirmation LeafModelFitter::add_outputs(
    Tree& tree, double factor, std::span<double> scores,
    const std::function<void(std::size_t begin, std::size_t end)>& after) {
  const std::size_t n_leaves = leaves_.size();
  std::vector<Range> ranges(n_chunks_ * n_leaves);
  std::vector<Confirmation> confirmed(n_chunks_);
  pool_.run(n_chunks_, [&](std::size_t chunk, std::size_t) {
    std::vector<double> outputs;
    for_each_block(chunk, [&](std::size_t block) {
      outputs.resize(assignment_.block_begin(block + 1) - assignment_.block_begin(block));
      for (std::size_t l = 0; l < n_leaves; ++l) {
        const LeafRows rows = assignment_.rows(block, l);
        kernels().leaf_outputs(leaves_[l], rows, outputs.data());
        if (!bounds_.empty()) {
          for (std::size_t i = 0; i < rows.n; ++i) outputs[i] = bounds_[l].clip(outputs[i]);
        }
        if (options_.adapts_leaves) confirmed[chunk] += confirm(l, rows, outputs.data());
        Range& range = ranges[chunk * n_leaves + l];
        for (std::size_t i = 0; i < rows.n; ++i) {
          range.include(outputs[i], outputs[i]);
          scores[rows.first + rows.rows[i]] += factor * outputs[i];
        }
      }
      after(assignment_.block_begin(block), assignment_.block_begin(block + 1));
    });
  });
  set_ranges(tree, ranges);
  Confirmation sums;
  for (const Confirmation& part : confirmed) sums += part;
  return sums;
}

LeafModelFitter::Range LeafModelFitter::range_of(std::size_t leaf,
                                                 std::span<const Range> ranges) const {
  Range range;
  for (std::size_t chunk = 0; chunk < n_chunks_; ++chunk) {
    const Range& part = ranges[chunk * leaves_.size() + leaf];
    range.include(part.low, part.high);
  }
  return range;
}

void LeafModelFitter::set_ranges(Tree& tree, std::span<const Range> ranges) const {
  for (std::size_t l = 0; l < bounds_.size(); ++l) {
    tree.leaves[l].low = bounds_[l].low;
    tree.leaves[l].high = bounds_[l].high;
  }
  if (options_.extrapolation == Extrapolation::kLinear) return;
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    const Range range = range_of(l, ranges);
    tree.leaves[l].low = range.low;
    tree.leaves[l].high = range.high;
  }
}

}  // namespace plboost
