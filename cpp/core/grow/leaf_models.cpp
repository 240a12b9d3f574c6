#include "core/grow/leaf_models.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/linear/leaf_fit.hpp"
#include "core/linear/node_model.hpp"

namespace plboost {
namespace {

// Rows whose codes are at hand at once: those of a dozen groups fit the first-level cache.
constexpr std::size_t kBlockRows = 512;
// Tasks of a pass. Each has sums of its own, added up in order: few enough to keep those small.
constexpr std::size_t kMostChunks = 32;
constexpr std::size_t kFewestChunkRows = 8192;
constexpr std::size_t kMomentBytes = std::size_t{128} << 20;

}  // namespace

LeafModelFitter::LeafModelFitter(const Dataset& dataset, const GrowOptions& options,
                                 ThreadPool& pool)
    : dataset_(dataset), options_(options), pool_(pool), leaf_of_row_(dataset.n_rows()) {
  weights_.assign(dataset.weights().begin(), dataset.weights().end());
}

Tree LeafModelFitter::fit(const Skeleton& skeleton, const Gradients& gradients) {
  number_groups(skeleton);
  lay_out(skeleton);
  const std::vector<RouteNode> nodes = route_nodes(skeleton);
  moments_.resize(n_chunks_ * leaves_.size() * leaf_size());
  leaf_weights_.resize(n_chunks_ * leaves_.size());
  pool_.run(n_chunks_,
            [&](std::size_t chunk, std::size_t) { sum_chunk(chunk, skeleton, nodes, gradients); });
  reduce_moments();
  fit_leaves(skeleton);
  return make_tree(skeleton);
}

void LeafModelFitter::number_groups(const Skeleton& skeleton) {
  constexpr std::size_t kUnused = static_cast<std::size_t>(-1);
  used_groups_.clear();
  place_of_group_.assign(dataset_.n_groups(), kUnused);
  const auto use = [&](std::size_t feature) {
    const std::size_t group = dataset_.features()[feature].group();
    if (place_of_group_[group] != kUnused) return;
    place_of_group_[group] = used_groups_.size();
    used_groups_.push_back(group);
  };
  for (const SkeletonNode& node : skeleton.nodes) {
    if (node.is_leaf()) {
      for (const Regressor& regressor : node.source->model.regressors) use(regressor.feature);
    } else {
      use(node.source->best.feature);
    }
  }
}

void LeafModelFitter::lay_out(const Skeleton& skeleton) {
  leaf_nodes_.clear();
  leaf_of_node_.assign(skeleton.nodes.size(), 0);
  terms_.clear();
  n_columns_ = 0;
  std::vector<std::size_t> first_term;
  for (std::size_t i = 0; i < skeleton.nodes.size(); ++i) {
    if (!skeleton.nodes[i].is_leaf()) continue;
    const GrowingLeaf& leaf = *skeleton.nodes[i].source;
    leaf_of_node_[i] = static_cast<std::uint32_t>(leaf_nodes_.size());
    leaf_nodes_.push_back(i);
    first_term.push_back(terms_.size());
    for (std::size_t j = 0; j < leaf.model.regressors.size(); ++j) {
      const CodedFeature& feature = dataset_.features()[leaf.model.regressors[j].feature];
      terms_.push_back({.group = place_of_group_[feature.group()],
                        .shift = feature.shift(),
                        .reference = leaf.references[j],
                        .slope = 0.0,
                        .values = feature.values.data()});
    }
    n_columns_ = std::max(n_columns_, leaf.model.regressors.size());
  }
  first_term.push_back(terms_.size());
  leaves_.clear();
  for (std::size_t l = 0; l < leaf_nodes_.size(); ++l) {
    leaves_.push_back({.terms = terms_.data() + first_term[l],
                       .n_terms = first_term[l + 1] - first_term[l],
                       .intercept = 0.0});
  }
  width_ = (n_columns_ + 1 + 7) / 8 * 8;
  const std::size_t bytes = leaves_.size() * leaf_size() * sizeof(double);
  const std::size_t most = std::clamp<std::size_t>(kMomentBytes / bytes, 2, kMostChunks);
  const std::size_t n = dataset_.n_rows();
  chunk_rows_ = std::max((n + most - 1) / most, kFewestChunkRows);
  chunk_rows_ = (chunk_rows_ + kBlockRows - 1) / kBlockRows * kBlockRows;
  n_chunks_ = (n + chunk_rows_ - 1) / chunk_rows_;
}

std::size_t LeafModelFitter::chunk_end(std::size_t chunk) const {
  return std::min(chunk_begin(chunk) + chunk_rows_, dataset_.n_rows());
}

std::vector<RouteNode> LeafModelFitter::route_nodes(const Skeleton& skeleton) const {
  std::vector<RouteNode> nodes(skeleton.nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    RouteNode& node = nodes[i] = {};
    if (skeleton.nodes[i].is_leaf()) {
      node.child = static_cast<std::uint32_t>(i);
      std::fill(std::begin(node.left), std::end(node.left), ~0U);
      continue;
    }
    const Candidate& best = skeleton.nodes[i].source->best;
    const CodedFeature& feature = dataset_.features()[best.feature];
    node.lane = static_cast<std::uint32_t>(place_of_group_[feature.group()] * kBlockRows);
    node.shift = feature.shift();
    node.child = static_cast<std::uint32_t>(skeleton.nodes[i].left);
    for (std::size_t code = 0; code < kCodes; ++code) {
      const bool left = best.goes_left(feature.bin_of_code[code], feature.bins->missing_code());
      node.left[code / 32] |= std::uint32_t{left} << (code % 32);
    }
  }
  return nodes;
}

void LeafModelFitter::copy_codes(std::size_t begin, std::size_t n, std::uint32_t* words) const {
  for (std::size_t i = 0; i < used_groups_.size(); ++i) {
    std::memcpy(words + i * kBlockRows, dataset_.group_codes(used_groups_[i]).data() + begin,
                n * sizeof(std::uint32_t));
  }
}

void LeafModelFitter::sum_chunk(std::size_t chunk, const Skeleton& skeleton,
                                std::span<const RouteNode> nodes, const Gradients& gradients) {
  double* moments = moments_.data() + chunk * leaves_.size() * leaf_size();
  double* weights = leaf_weights_.data() + chunk * leaves_.size();
  std::fill_n(moments, leaves_.size() * leaf_size(), 0.0);
  std::fill_n(weights, leaves_.size(), 0.0);
  std::vector<std::uint32_t> words(used_groups_.size() * kBlockRows);
  const float* h = !gradients.h.empty() ? gradients.h.data()
                   : !weights_.empty()  ? weights_.data()
                                        : nullptr;
  for (std::size_t begin = chunk_begin(chunk); begin < chunk_end(chunk); begin += kBlockRows) {
    const std::size_t n = std::min(kBlockRows, chunk_end(chunk) - begin);
    copy_codes(begin, n, words.data());
    const CodeBlock block{words.data(), kBlockRows, n};
    std::uint32_t* leaf = leaf_of_row_.data() + begin;
    kernels().route(nodes.data(), skeleton.depth, block, leaf);
    for (std::size_t i = 0; i < n; ++i) {
      leaf[i] = leaf_of_node_[leaf[i]];
      weights[leaf[i]] += weights_.empty() ? 1.0 : static_cast<double>(weights_[begin + i]);
    }
    kernels().add_moments(leaves_.data(), leaf, block, gradients.g.data() + begin,
                          h == nullptr ? nullptr : h + begin, n_columns_, width_, moments);
  }
}

void LeafModelFitter::reduce_moments() {
  const std::size_t n_leaves = leaves_.size();
  pool_.run(n_leaves, [&](std::size_t leaf, std::size_t) {
    double* sums = moments_.data() + leaf * leaf_size();
    for (std::size_t chunk = 1; chunk < n_chunks_; ++chunk) {
      const double* other = sums + chunk * n_leaves * leaf_size();
      for (std::size_t i = 0; i < leaf_size(); ++i) sums[i] += other[i];
      leaf_weights_[leaf] += leaf_weights_[chunk * n_leaves + leaf];
    }
  });
}

void LeafModelFitter::fit_leaves(const Skeleton& skeleton) {
  const bool refit = options_.leaf_models == LeafModels::kRefit ||
                     options_.split.fitting == Fitting::kFullyCorrective;
  const FirstColumn first =
      options_.split.fitting == Fitting::kAdditive ? FirstColumn::kFixedAtOne : FirstColumn::kFree;
  pool_.run(leaves_.size(), [&](std::size_t l, std::size_t) {
    const NodeModel& model = skeleton.nodes[leaf_nodes_[l]].source->model;
    LeafTerms& leaf = leaves_[l];
    LeafTerm* terms = terms_.data() + (leaf.terms - terms_.data());  // ours, not const
    const LeafMoments moments{leaf.n_terms, n_columns_ + 1, width_,
                              moments_.data() + l * leaf_size()};
    LeafLine line;
    if (refit) {
      std::vector<LeafColumn> columns;
      for (std::size_t j = 0; j < leaf.n_terms; ++j) {
        columns.push_back(
            {terms[j].reference, feature_ridge(*model.regressors[j].bins, options_.ridge)});
      }
      line = fit_leaf(moments, columns, options_.ridge);
    } else {
      LeafColumn column{-model.origin, path_ridge(model, first, options_.ridge)};
      for (std::size_t j = 0; j < leaf.n_terms; ++j) {
        column.reference += model.slopes[j] * terms[j].reference;
      }
      line = fit_path(moments, model.slopes, column, first, options_.ridge);
    }
    leaf.intercept = line.intercept;
    for (std::size_t j = 0; j < leaf.n_terms; ++j) terms[j].slope = line.slopes[j];
  });
}

Tree LeafModelFitter::make_tree(const Skeleton& skeleton) const {
  Tree tree;
  tree.nodes.resize(skeleton.nodes.size());
  for (std::size_t i = skeleton.nodes.size(); i-- > 0;) {
    const SkeletonNode& from = skeleton.nodes[i];
    Node& node = tree.nodes[i];
    if (from.is_leaf()) {
      node.child = static_cast<std::int32_t>(leaf_of_node_[i]);
      node.weight = leaf_weights_[leaf_of_node_[i]];
      continue;
    }
    const Candidate& best = from.source->best;
    const CodedFeature& feature = dataset_.features()[best.feature];
    const bool all_values_left = best.threshold + 1 == feature.bins->n_bins();
    node.feature = feature.index;
    node.child = from.left;
    node.threshold = all_values_left
                         ? std::numeric_limits<double>::infinity()
                         : feature.bins->edges[static_cast<std::size_t>(best.threshold)];
    node.missing_left = best.missing_left;
    node.gain = best.gain;
    const auto left = static_cast<std::size_t>(from.left);
    node.weight = tree.nodes[left].weight + tree.nodes[left + 1].weight;
  }
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    const NodeModel& model = skeleton.nodes[leaf_nodes_[l]].source->model;
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

void LeafModelFitter::add_outputs(
    Tree& tree, double factor, std::span<double> scores,
    const std::function<void(std::size_t begin, std::size_t end)>& after) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t n_leaves = leaves_.size();
  std::vector<Range> ranges(n_chunks_ * n_leaves, {kInfinity, -kInfinity});
  pool_.run(n_chunks_, [&](std::size_t chunk, std::size_t) {
    Range* range = ranges.data() + chunk * n_leaves;
    std::vector<std::uint32_t> words(used_groups_.size() * kBlockRows);
    double outputs[kBlockRows];
    for (std::size_t begin = chunk_begin(chunk); begin < chunk_end(chunk); begin += kBlockRows) {
      const std::size_t n = std::min(kBlockRows, chunk_end(chunk) - begin);
      copy_codes(begin, n, words.data());
      const std::uint32_t* leaf = leaf_of_row_.data() + begin;
      kernels().leaf_outputs(leaves_.data(), leaf, {words.data(), kBlockRows, n}, outputs);
      for (std::size_t i = 0; i < n; ++i) {
        Range& seen = range[leaf[i]];
        seen.low = std::min(seen.low, outputs[i]);
        seen.high = std::max(seen.high, outputs[i]);
        scores[begin + i] += factor * outputs[i];
      }
      after(begin, begin + n);
    }
  });
  if (options_.extrapolation == Extrapolation::kLinear) return;
  for (std::size_t l = 0; l < n_leaves; ++l) {
    tree.leaves[l].low = kInfinity;
    tree.leaves[l].high = -kInfinity;
    for (std::size_t chunk = 0; chunk < n_chunks_; ++chunk) {
      tree.leaves[l].low = std::min(tree.leaves[l].low, ranges[chunk * n_leaves + l].low);
      tree.leaves[l].high = std::max(tree.leaves[l].high, ranges[chunk * n_leaves + l].high);
    }
  }
}

}  // namespace plboost
