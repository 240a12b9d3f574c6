#include "core/grow/leaf_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/grow/late_splits.hpp"
#include "core/grow/monotone_bounds.hpp"
#include "core/linear/left_out.hpp"
#include "core/linear/node_model.hpp"

namespace plboost {

struct LeafModelFitter::Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double other_low, double other_high) {
    low = std::min(low, other_low);
    high = std::max(high, other_high);
  }

  // Four at a time: a minimum waits for the one before it.
  void include(std::span<const double> outputs) {
    std::array<Range, 4> parts;
    std::size_t i = 0;
    for (; i + parts.size() <= outputs.size(); i += parts.size()) {
      for (std::size_t j = 0; j < parts.size(); ++j) {
        parts[j].include(outputs[i + j], outputs[i + j]);
      }
    }
    for (; i < outputs.size(); ++i) parts[0].include(outputs[i], outputs[i]);
    for (const Range& part : parts) include(part.low, part.high);
  }
};

LeafModelFitter::LeafModelFitter(const Dataset& dataset, const GrowOptions& options,
                                 ThreadPool& pool)
    : dataset_(dataset),
      options_(options),
      pool_(pool),
      rules_(dataset, options.constraints),
      sums_(dataset, pool),
      drawn_means_(rules_, options_) {}

Tree LeafModelFitter::fit(const Skeleton& skeleton, const Gradients& gradients,
                          const LeafOrder& order, const std::optional<LeafRenewal>& renewal,
                          SlopeRecord& slopes_so_far) {
  skeleton_ = &skeleton;
  sums_.start(skeleton, order, gradients);
  lay_out(skeleton, order);
  const bool shrinks =
      options_.slope_shrinkage > 0.0 && options_.ridge.penalty == Penalty::kCentred;
  const std::vector<double> ridges(n_columns_, options_.ridge.l2_slopes);
  std::vector<LeftOutFactors> factors(leaves_.size());
  sums_.run(leaves_, [&](std::size_t leaf) -> std::optional<LeftOutFit> {
    lines_[leaf] = fit_line(leaf, skeleton.nodes[assignment().leaf_node(leaf)].source->model);
    set_line(leaf);
    if (!shrinks || leaves_[leaf].n_terms == 0) return std::nullopt;
    factors[leaf] = LeftOutFactors(sums_.moments(leaf), lines_[leaf], ridges);
    return factors[leaf].fit();
  });
  if (shrinks) shrink_slopes(slopes_so_far);
  const bool draws = options_.mean_shrinkage > 0.0 && options_.ridge.penalty == Penalty::kCentred;
  if (draws && !renewal) draw_means();
  if (renewal) renew_constants(*renewal);
  if (rules_.any_monotone()) bound_leaves(skeleton);
  const bool clamps = options_.extrapolation == Extrapolation::kClamp;
  if (clamps && !gradients.w.empty()) bound_to_known_rows();
  return make_tree(skeleton);
}

void LeafModelFitter::lay_out(const Skeleton& skeleton, const LeafOrder& order) {
  terms_.clear();
  first_term_.assign(1, 0);
  n_columns_ = 0;
  for (std::size_t l = 0; l < assignment().n_leaves(); ++l) {
    const GrowingLeaf& leaf = *skeleton.nodes[assignment().leaf_node(l)].source;
    const NodeRows* together = sums_.rows_together(l);
    for (std::size_t j = 0; j < leaf.model.regressors.size(); ++j) {
      const CodedFeature& feature = dataset_.features()[leaf.model.regressors[j].feature];
      terms_.push_back({.words = together != nullptr ? order.codes(feature, *together)
                                                     : dataset_.group_codes(feature.group()).data(),
                        .shift = feature.shift(),
                        .values = feature.values.data(),
                        .reference = leaf.references[j],
                        .slope = 0.0});
    }
    first_term_.push_back(terms_.size());
    n_columns_ = std::max(n_columns_, leaf.model.regressors.size());
  }
  leaves_.clear();
  for (std::size_t l = 0; l < assignment().n_leaves(); ++l) {
    leaves_.push_back({.terms = terms_.data() + first_term_[l],
                       .n_terms = first_term_[l + 1] - first_term_[l],
                       .intercept = 0.0});
  }
  lines_.resize(leaves_.size());
  believed_.assign(leaves_.size(), 1.0);
}

LeafLine LeafModelFitter::fit_line(std::size_t l, const NodeModel& model) const {
  const std::span<const LeafTerm> terms{leaves_[l].terms, leaves_[l].n_terms};
  const LeafMoments moments = sums_.moments(l);
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

void LeafModelFitter::shrink_slopes(SlopeRecord& so_far) {
  double weight = 0.0;
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) weight += sums_.weight(leaf);
  believed_ = believed_parts(sums_.left_out(), weight, options_.slope_shrinkage, so_far.left_out,
                             so_far.unknown);
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
    lines_[leaf].shrink(sums_.moments(leaf), believed_[leaf]);
    set_line(leaf);
  }
}

void LeafModelFitter::draw_means() {
  const std::span<const double> changes = drawn_means_.find(*skeleton_, sums_, lines_, believed_);
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
    lines_[leaf].intercept += changes[leaf];
    set_line(leaf);
  }
}

void LeafModelFitter::renew_constants(const LeafRenewal& renewal) {
  pool_.run(leaves_.size(), [&](std::size_t leaf, std::size_t worker) {
    leaves_[leaf].intercept = 0.0;
    leaves_[leaf].intercept = renewed_constant(sums_, {leaf, believed_[leaf]}, renewal, worker);
  });
}

std::vector<OutputSummary> LeafModelFitter::output_summaries() const {
  std::vector<OutputSummary> outputs;
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    const LeafTerms& leaf = leaves_[l];
    const LeafMoments moments = sums_.moments(l);
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
  return outputs;
}

void LeafModelFitter::bound_leaves(const Skeleton& skeleton) {
  bounds_ = monotone_bounds(skeleton, assignment(), output_summaries());
}

// Rows that the tree does not know may lie far beyond those that its leaves were fitted to.
void LeafModelFitter::bound_to_known_rows() {
  std::vector<Range> ranges(sums_.n_chunks() * leaves_.size());
  pool_.run(sums_.n_chunks(), [&](std::size_t chunk, std::size_t worker) {
    sums_.for_each_block(chunk, [&](std::size_t block) {
      for (std::size_t l = 0; l < leaves_.size(); ++l) {
        const LeafRows rows = assignment().rows(block, l);
        const std::span<double> outputs = sums_.outputs(block, {l, believed_[l]}, worker);
        Range& range = ranges[chunk * leaves_.size() + l];
        for (std::size_t i = 0; i < rows.n; ++i) {
          const bool known = sums_.gradients().w[rows.first + rows.rows[i]] > 0.0F;
          if (known) range.include(outputs[i], outputs[i]);
        }
      }
    });
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
      node.child = static_cast<std::int32_t>(assignment().leaf_of_node(i));
      node.weight = sums_.weight(assignment().leaf_of_node(i));
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
    const NodeModel& model = skeleton.nodes[assignment().leaf_node(l)].source->model;
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

void LeafModelFitter::judge(const Gradients& judges, const ShrunkLeaf& leaf, double mean,
                            const LeafRows& rows, std::span<const double> outputs,
                            LeafJudgement& sums) const {
  const float* h = judges.h.empty() ? nullptr : judges.h.data();
  if (h == nullptr && !sums_.weights().empty()) h = sums_.weights().data();
  for (std::size_t i = 0; i < rows.n; ++i) {
    const std::size_t row = rows.first + rows.rows[i];
    if (sums_.gradients().w[row] > 0.0F) continue;
    const double gradient = static_cast<double>(judges.g[row]);
    const double hessian = h == nullptr ? 1.0 : static_cast<double>(h[row]);
    sums.outputs += {-gradient * outputs[i], hessian * outputs[i] * outputs[i]};
    sums.ones += {-gradient, hessian};
    if (leaves_[leaf.number].n_terms == 0 || !(leaf.part > 0.0)) continue;
    const double of_slopes = (outputs[i] - mean) / leaf.part;
    sums.slopes += {-(gradient + hessian * mean) * of_slopes, hessian * of_slopes * of_slopes};
  }
}

Judgement LeafModelFitter::summed_up(std::span<const LeafJudgement> parts,
                                     std::span<const OutputSummary> outputs) const {
  if (parts.empty()) return {};
  Judgement result;
  std::vector<Confirmation> of_ones(leaves_.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    result.tree += parts[i].outputs;
    result.slopes += parts[i].slopes;
    of_ones[i % leaves_.size()] += parts[i].ones;
  }
  result.late_splits = confirm_late_splits(*skeleton_, assignment(), outputs, of_ones);
  return result;
}

Judgement LeafModelFitter::add_outputs(
    Tree& tree, double factor, std::span<double> scores, const Gradients* judges,
    const std::function<void(std::size_t begin, std::size_t end)>& after) {
  const std::size_t n_leaves = leaves_.size();
  std::vector<Range> ranges(sums_.n_chunks() * n_leaves);
  std::vector<LeafJudgement> judged(judges == nullptr ? 0 : ranges.size());
  std::vector<OutputSummary> summaries;
  if (judges != nullptr) summaries = output_summaries();
  pool_.run(sums_.n_chunks(), [&](std::size_t chunk, std::size_t worker) {
    sums_.for_each_block(chunk, [&](std::size_t block) {
      for (std::size_t l = 0; l < n_leaves; ++l) {
        const LeafRows rows = assignment().rows(block, l);
        const ShrunkLeaf leaf{l, believed_[l]};
        const std::span<double> outputs = sums_.outputs(block, leaf, worker);
        if (!bounds_.empty()) {
          for (double& output : outputs) output = bounds_[l].clip(output);
        }
        if (judges != nullptr) {
          const double mean = summaries[l].mean;
          judge(*judges, leaf, bounds_.empty() ? mean : bounds_[l].clip(mean), rows, outputs,
                judged[chunk * n_leaves + l]);
        }
        ranges[chunk * n_leaves + l].include(outputs);
        double* block_scores = scores.data() + rows.first;
        for (std::size_t i = 0; i < rows.n; ++i) {
          block_scores[rows.rows[i]] += factor * outputs[i];
        }
      }
      after(assignment().block_begin(block), assignment().block_begin(block + 1));
    });
  });
  set_ranges(tree, ranges);
  return summed_up(judged, summaries);
}

LeafModelFitter::Range LeafModelFitter::range_of(std::size_t leaf,
                                                 std::span<const Range> ranges) const {
  Range range;
  for (std::size_t chunk = 0; chunk < sums_.n_chunks(); ++chunk) {
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
