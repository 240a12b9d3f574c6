#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/grow/feature_rules.hpp"
#include "core/grow/leaf_sums.hpp"
#include "core/grow/options.hpp"
#include "core/grow/skeleton.hpp"
#include "core/linear/leaf_fit.hpp"

namespace plboost {

// How far the mean output of each leaf is moved towards what the nodes above it say, by what noise
// sets the children of their splits apart (docs/algorithm.md, section 5). Memory is kept from tree
// to tree.
class DrawnMeans {
 public:
  DrawnMeans(const FeatureRules& rules, const GrowOptions& options)
      : rules_(rules), options_(options), fitter_(options.ridge) {}

  // `lines` are those of the leaves, `believed` the part that each has kept of its slopes. Returns
  // the changes of the leaves' means, until it is called again.
  std::span<const double> find(const Skeleton& skeleton, const LeafSums& sums,
                               std::span<const LeafLine> lines, std::span<const double> believed);

 private:
  // What the leaves below a node, or a leaf itself, say together.
  struct NodeLine {
    std::span<const double> references;  // of its regressors
    LeafMoments moments;                 // around these, until the parent has them
    std::vector<double> sums;            // the moments, unless they are a leaf's
    double h;
    double noise;                 // sum of g^2 / w that the models of the leaves leave
    double believed;              // part of the slopes, by hessian
    double mean;                  // output
    std::vector<double> slopes;   // none in a leaf
    std::vector<double> centres;  // of its regressors

    void find_centres();
    void add(const NodeLine& child);
  };

  void set_leaf(NodeLine& node, const LeafMoments& moments, const LeafLine& line, double squares);
  void set_inner_node(NodeLine& node, const GrowingLeaf& source, NodeLine& left, NodeLine& right);
  void set_nodes(const Skeleton& skeleton, const LeafSums& sums, std::span<const LeafLine> lines,
                 std::span<const double> believed);
  void draw_children(std::size_t node, std::size_t left);

  const FeatureRules& rules_;
  const GrowOptions& options_;
  LeafFitter fitter_;
  std::vector<LeafColumn> columns_;
  std::vector<NodeLine> nodes_;
  std::vector<std::vector<double>> spare_;  // sums that have served
  std::vector<double> means_;               // of the nodes, drawn
  std::vector<double> changes_;
};

}  // namespace plboost
