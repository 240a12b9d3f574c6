#include "core/grow/column_choice.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/random.hpp"

namespace plboost {
namespace {

constexpr std::uint64_t kLeft = 1, kRight = 2, kTreeDraw = 3, kNodeDraw = 4, kLevelDraws = 5;

std::uint64_t mix(std::uint64_t place, std::uint64_t what) {
  return Random(Random(place).next() + what).next();
}

// Keeps a part of what is set, one at least.
void draw(std::vector<char>& mask, double part, std::uint64_t place) {
  if (part >= 1.0) return;
  std::vector<std::uint32_t> set;
  for (std::size_t f = 0; f < mask.size(); ++f) {
    if (mask[f]) set.push_back(static_cast<std::uint32_t>(f));
  }
  const double wanted = std::floor(part * static_cast<double>(set.size()) + 0.5);
  const std::size_t n = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
  Random(place).shuffle(std::span(set));
  for (std::size_t i = n; i < set.size(); ++i) mask[set[i]] = 0;
}

}  // namespace

std::uint64_t tree_place(std::uint64_t seed, std::uint64_t tree) { return mix(seed, tree); }

std::uint64_t child_place(std::uint64_t parent, bool left) {
  return mix(parent, left ? kLeft : kRight);
}

ColumnChoice::ColumnChoice(const FeatureRules& rules, std::size_t n_features,
                           const ColumnSample& sample)
    : rules_(rules), n_features_(n_features), sample_(sample) {
  for (std::size_t f = 0; f < n_features; ++f) all_allowed_ = all_allowed_ && rules.may_cut(f);
}

void ColumnChoice::start_tree(std::uint64_t place) {
  place_ = place;
  if (all_allowed_ && sample_.by_tree >= 1.0) return;
  tree_.assign(n_features_, 0);
  for (std::size_t f = 0; f < n_features_; ++f) tree_[f] = rules_.may_cut(f);
  draw(tree_, sample_.by_tree, mix(place, kTreeDraw));
}

std::vector<char> ColumnChoice::of_node(std::uint64_t place, int depth,
                                        const std::vector<std::size_t>& path) const {
  if (sample_.by_level >= 1.0 && sample_.by_node >= 1.0 && rules_.groups().empty()) return tree_;
  std::vector<char> mask = tree_.empty() ? std::vector<char>(n_features_, 1) : tree_;
  draw(mask, sample_.by_level, mix(place_, kLevelDraws + static_cast<std::uint64_t>(depth)));
  if (!rules_.groups().empty()) {
    std::vector<char> allowed(n_features_, 0);
    for (const std::vector<std::size_t>& group : rules_.groups()) {
      const bool holds_path = std::all_of(path.begin(), path.end(), [&](std::size_t f) {
        return std::find(group.begin(), group.end(), f) != group.end();
      });
      if (!holds_path) continue;
      for (const std::size_t f : group) allowed[f] = 1;
    }
    for (std::size_t f = 0; f < n_features_; ++f) mask[f] = mask[f] && allowed[f];
  }
  draw(mask, sample_.by_node, mix(place, kNodeDraw));
  return mask;
}

}  // namespace plboost
