#include "core/explain/importance.hpp"

#include <string>

#include "core/base/error.hpp"

namespace plboost {

std::vector<double> feature_importance(const Forest& forest, std::string_view kind) {
  if (kind != "gain" && kind != "split") {
    throw InvalidInput("kind must be 'gain' or 'split', got '" + std::string(kind) + "'.");
  }
  std::vector<double> importance(forest.features.size());
  for (const Tree& tree : forest.trees) {
    for (const Node& node : tree.nodes) {
      if (node.is_leaf()) continue;
      importance[static_cast<std::size_t>(node.feature)] += kind == "gain" ? node.gain : 1.0;
    }
  }
  return importance;
}

}  // namespace plboost
