#include "core/grow/drawn_means.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/linear/node_model.hpp"

namespace plboost {
namespace {

// What the leaves below a node, or a leaf itself, say together.
struct NodeLine {
  std::vector<double> sums;  // moments around the references of its regressors, until it has served
  std::vector<double> references;
  std::vector<double> centres;  // of its regressors
  double h = 0.0;
  double noise = 0.0;     // sum of g^2 / w that the models of the leaves leave
  double believed = 0.0;  // part of the slopes, by hessian
  double mean = 0.0;      // output
  std::vector<double> slopes;

  std::size_t n_columns() const { return references.size(); }
  LeafMoments moments() const { return {n_columns(), sums.data()}; }

  // Once its sums are complete.
  void find_centres() {
    h = sums[0];
    centres.assign(n_columns(), 0.0);
    for (std::size_t j = 0; j < n_columns() && h > 0.0; ++j) {
      centres[j] = references[j] + moments().hx(j) / h;
    }
  }
};

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

NodeLine line_of_leaf(const LeafSums& sums, std::size_t leaf, const LeafLine& line, double believed,
                      std::span<const double> references) {
  const LeafMoments moments = sums.moments(leaf);
  NodeLine result{.sums = {moments.sums, moments.sums + moment_count(references.size())},
                  .references = {references.begin(), references.end()},
                  .centres = {},
                  .believed = believed,
                  .mean = mean_output(moments, line),
                  .slopes = {}};
  // For squared error that is what is left of the squares. Log loss explains more of them than
  // there are while its first steps are large: then nothing is noise.
  result.find_centres();
  result.noise = std::max(0.0, sums.squares(leaf) + 2.0 * loss_of(moments, line));
  return result;
}

// Adds the moments of a child to those of its parent, whose regressors are the child's first ones.
void add_child(NodeLine& parent, const NodeLine& child) {
  const std::size_t k = parent.n_columns();
  const LeafMoments of_child = child.moments();
  const auto shift = [&](std::size_t j) { return child.references[j] - parent.references[j]; };
  double* of_h = parent.sums.data();
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
  parent.noise += child.noise;
  parent.believed += child.h * child.believed;
}

NodeLine line_of_node(const GrowingLeaf& node, const NodeLine& left, const NodeLine& right,
                      const FeatureRules& rules, const RidgeOptions& ridge) {
  const std::size_t k = node.references.size();
  NodeLine result{.sums = std::vector<double>(moment_count(k)),
                  .references = node.references,
                  .centres = {},
                  .slopes = std::vector<double>(k)};
  add_child(result, left);
  add_child(result, right);
  result.find_centres();
  if (!(result.h > 0.0)) return result;
  result.believed /= result.h;
  std::vector<LeafColumn> columns;
  for (std::size_t j = 0; j < k; ++j) {
    const Regressor& regressor = node.model.regressors[j];
    columns.push_back({node.references[j], feature_ridge(*regressor.bins, ridge),
                       rules.slope_sign(regressor.feature)});
  }
  const LeafLine line = fit_leaf(result.moments(), columns, ridge);
  result.mean = mean_output(result.moments(), line);
  for (std::size_t j = 0; j < k; ++j) result.slopes[j] = result.believed * line.slopes[j];
  return result;
}

std::vector<NodeLine> lines_of_nodes(const Skeleton& skeleton, const LeafSums& sums,
                                     std::span<const LeafLine> lines,
                                     std::span<const double> believed, const FeatureRules& rules,
                                     const RidgeOptions& ridge) {
  std::vector<NodeLine> nodes(skeleton.nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const SkeletonNode& node = skeleton.nodes[i];
    if (node.is_leaf()) {
      const std::size_t leaf = sums.assignment().leaf_of_node(i);
      nodes[i] = line_of_leaf(sums, leaf, lines[leaf], believed[leaf], node.source->references);
    } else {
      const auto left = static_cast<std::size_t>(node.left);
      nodes[i] = line_of_node(*node.source, nodes[left], nodes[left + 1], rules, ridge);
      // With all features as regressors they are large.
      nodes[left].sums = {};
      nodes[left + 1].sums = {};
    }
  }
  return nodes;
}

// What the line of a node says of the mean of a child, beyond its own mean.
double predicted(const NodeLine& node, const NodeLine& child) {
  double change = 0.0;
  for (std::size_t j = 0; j < node.n_columns() && child.h > 0.0; ++j) {
    change += node.slopes[j] * (child.centres[j] - node.centres[j]);
  }
  return change;
}

}  // namespace

// A split is chosen for how far it sets its children apart, so noise sets them apart as well: by
// `strength` times what it would on average, if the split owed nothing to it. That is taken back,
// as James and Stein do. What the node's own line says of its children is no part of it.
std::vector<double> drawn_means(const Skeleton& skeleton, const LeafSums& sums,
                                std::span<const LeafLine> lines, std::span<const double> believed,
                                const FeatureRules& rules, const GrowOptions& options) {
  const std::vector<NodeLine> nodes =
      lines_of_nodes(skeleton, sums, lines, believed, rules, options.ridge);
  std::vector<double> means(nodes.size(), nodes[0].mean);
  std::vector<double> changes(lines.size(), 0.0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeLine& node = nodes[i];
    if (skeleton.nodes[i].is_leaf()) {
      const double change = means[i] - node.mean;
      if (std::isfinite(change)) changes[sums.assignment().leaf_of_node(i)] = change;
      continue;
    }
    const auto left = static_cast<std::size_t>(skeleton.nodes[i].left);
    double apart = 0.0;
    for (const std::size_t child : {left, left + 1}) {
      means[child] = predicted(node, nodes[child]);
      const double own = nodes[child].mean - node.mean - means[child];
      apart += nodes[child].h * own * own;
    }
    const double of_noise = options.mean_shrinkage * node.noise / node.h;
    const double part = apart > of_noise ? 1.0 - of_noise / apart : 0.0;
    for (const std::size_t child : {left, left + 1}) {
      const double own = nodes[child].mean - node.mean - means[child];
      means[child] += means[i] + part * own;
    }
  }
  return changes;
}

}  // namespace plboost
