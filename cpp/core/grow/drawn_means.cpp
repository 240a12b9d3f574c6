#include "core/grow/drawn_means.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/linear/node_model.hpp"

namespace plboost {
namespace {

double mean_output(const LeafMoments& moments, const LeafLine& line) {
  double mean = line.intercept;
  for (std::size_t j = 0; j < line.slopes.size() && moments.h() > 0.0; ++j) {
    mean += line.slopes[j] * (moments.hx(j) / moments.h());
  }
  return mean;
}

// The second-order loss of a line on the leaf's rows.
double loss_of(const LeafMoments& moments, const LeafLine& line) {
  double linear = line.intercept * moments.g();
  double square = line.intercept * line.intercept * moments.h();
  for (std::size_t j = 0; j < line.slopes.size(); ++j) {
    linear += line.slopes[j] * moments.gx(j);
    square += 2.0 * line.intercept * line.slopes[j] * moments.hx(j);
    for (std::size_t l = 0; l < line.slopes.size(); ++l) {
      square += line.slopes[j] * line.slopes[l] * moments.hxx(j, l);
    }
  }
  return linear + 0.5 * square;
}

}  // namespace

// Once the moments are complete.
void DrawnMeans::NodeLine::find_centres() {
  h = moments.h();
  centres.assign(references.size(), 0.0);
  for (std::size_t j = 0; j < centres.size() && h > 0.0; ++j) {
    centres[j] = references[j] + moments.hx(j) / h;
  }
}

// Its regressors are the child's first ones.
void DrawnMeans::NodeLine::add(const NodeLine& child) {
  const std::size_t k = references.size();
  const LeafMoments& of_child = child.moments;
  const auto shift = [&](std::size_t j) { return child.references[j] - references[j]; };
  double* of_h = sums.data();
  double* of_g = of_h + (k + 1) * (k + 2) / 2;
  *of_h++ += of_child.h();
  *of_g++ += of_child.g();
  for (std::size_t j = 0; j < k; ++j) {
    const double hx = of_child.hx(j) + shift(j) * of_child.h();
    *of_h++ += hx;
    *of_g++ += of_child.gx(j) + shift(j) * of_child.g();
    for (std::size_t l = 0; l <= j; ++l) {
      *of_h++ += of_child.hxx(j, l) + shift(j) * of_child.hx(l) + shift(l) * hx;
    }
  }
  noise += child.noise;
  believed += child.h * child.believed;
}

void DrawnMeans::set_leaf(NodeLine& node, const LeafMoments& moments, const LeafLine& line,
                          double squares) {
  node.moments = moments;
  node.slopes.clear();
  node.mean = mean_output(moments, line);
  node.find_centres();
  // For squared error that is what is left of the squares. Log loss explains more of them than
  // there are while its first steps are large: then nothing is noise.
  node.noise = std::max(0.0, squares + 2.0 * loss_of(moments, line));
}

void DrawnMeans::set_inner_node(NodeLine& node, const GrowingLeaf& source, NodeLine& left,
                                NodeLine& right) {
  const std::size_t k = node.references.size();
  if (!spare_.empty()) {
    node.sums = std::move(spare_.back());
    spare_.pop_back();
  }
  node.sums.assign(moment_count(k), 0.0);
  node.moments = {k, node.sums.data()};
  node.slopes.assign(k, 0.0);
  node.noise = node.believed = node.mean = 0.0;
  for (NodeLine* child : {&left, &right}) {
    node.add(*child);
    // With all features as regressors they are large.
    if (!child->sums.empty()) spare_.push_back(std::exchange(child->sums, {}));
  }
  node.find_centres();
  if (!(node.h > 0.0)) return;
  node.believed /= node.h;
  columns_.clear();
  for (std::size_t j = 0; j < k; ++j) {
    const Regressor& regressor = source.model.regressors[j];
    columns_.push_back({node.references[j], feature_ridge(*regressor.bins, options_.ridge),
                        rules_.slope_sign(regressor.feature)});
  }
  const LeafLine& line = fitter_.fit(node.moments, columns_);
  node.mean = mean_output(node.moments, line);
  for (std::size_t j = 0; j < k; ++j) node.slopes[j] = node.believed * line.slopes[j];
}

// Children have higher numbers than their parents.
void DrawnMeans::set_nodes(const Skeleton& skeleton, const LeafSums& sums,
                           std::span<const LeafLine> lines, std::span<const double> believed) {
  nodes_.resize(skeleton.nodes.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const SkeletonNode& from = skeleton.nodes[i];
    NodeLine& node = nodes_[i];
    node.references = from.source->references;
    if (from.is_leaf()) {
      const std::size_t leaf = sums.assignment().leaf_of_node(i);
      node.believed = believed[leaf];
      set_leaf(node, sums.moments(leaf), lines[leaf], sums.squares(leaf));
    } else {
      const auto left = static_cast<std::size_t>(from.left);
      set_inner_node(node, *from.source, nodes_[left], nodes_[left + 1]);
    }
  }
  spare_.push_back(std::exchange(nodes_[0].sums, {}));
}

// A split is chosen for how far it sets its children apart, so noise sets them apart as well: by
// `mean_shrinkage` times what it would on average, if the split owed nothing to it. That is taken
// back, as James and Stein do. What the node's own line says of its children is no part of it.
void DrawnMeans::draw_children(std::size_t parent, std::size_t left) {
  const NodeLine& node = nodes_[parent];
  double apart = 0.0;
  for (const std::size_t child : {left, left + 1}) {
    const NodeLine& line = nodes_[child];
    double predicted = 0.0;
    for (std::size_t j = 0; j < node.slopes.size() && line.h > 0.0; ++j) {
      predicted += node.slopes[j] * (line.centres[j] - node.centres[j]);
    }
    means_[child] = predicted;
    const double own = line.mean - node.mean - predicted;
    apart += line.h * own * own;
  }
  const double of_noise = options_.mean_shrinkage * node.noise / node.h;
  const double part = apart > of_noise ? 1.0 - of_noise / apart : 0.0;
  for (const std::size_t child : {left, left + 1}) {
    const double own = nodes_[child].mean - node.mean - means_[child];
    means_[child] += means_[parent] + part * own;
  }
}

std::span<const double> DrawnMeans::find(const Skeleton& skeleton, const LeafSums& sums,
                                         std::span<const LeafLine> lines,
                                         std::span<const double> believed) {
  set_nodes(skeleton, sums, lines, believed);
  means_.assign(nodes_.size(), nodes_[0].mean);
  changes_.assign(lines.size(), 0.0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const SkeletonNode& node = skeleton.nodes[i];
    if (!node.is_leaf()) {
      draw_children(i, static_cast<std::size_t>(node.left));
      continue;
    }
    const double change = means_[i] - nodes_[i].mean;
    if (std::isfinite(change)) changes_[sums.assignment().leaf_of_node(i)] = change;
  }
  return changes_;
}

}  // namespace plboost
