#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/modules.hpp"
#include "bindings/options.hpp"
#include "core/base/error.hpp"
#include "core/boost/row_sample.hpp"
#include "core/dataset/dataset.hpp"
#include "core/grow/column_choice.hpp"

// What is drawn for trees and nodes, so that tests can see it.

namespace plboost::bindings {
namespace {

// Columns of the caller's matrix by which a node may be cut, as far as they are drawn. `place`
// leads from the root to the node: 'L' and 'R'.
std::vector<int> node_columns(const Dataset& dataset, const TrainingOptions& options,
                              std::uint64_t tree, const std::string& place) {
  const GrowOptions grow = options.parse().grow;
  const FeatureRules rules(dataset, grow.constraints);
  const std::size_t n = dataset.features().size();
  ColumnChoice choice(rules, n, grow.columns);
  std::uint64_t at = tree_place(options.seed, tree);
  choice.start_tree(at);
  for (const char side : place) at = child_place(at, side == 'L');
  const std::vector<char> mask = choice.of_node(at, static_cast<int>(place.size()), {});
  std::vector<int> columns;
  for (std::size_t f = 0; f < n; ++f) {
    if (mask.empty() || mask[f]) columns.push_back(dataset.features()[f].index);
  }
  return columns;
}

// Weight, g and h of every row of the data set, in its own order, as a tree knows them.
nb::tuple draw_rows(const Dataset& dataset, const Vector<float>& g, const Vector<float>& h,
                    const TrainingOptions& options, std::uint64_t tree) {
  if (g.size() != dataset.n_rows() || h.size() != dataset.n_rows()) {
    throw InvalidInput("g and h must have one element for each row of the data set.");
  }
  const BoostOptions boost = options.parse();
  RowSample sample(dataset, boost.grow.sample.subsampled(dataset.n_rows()), boost.rows);
  const Gradients drawn =
      sample.draw({view_of(g), view_of(h), {}, {}}, tree_place(options.seed, tree));
  const auto copied = [](std::span<const float> lane) {
    return to_numpy(std::vector<float>(lane.begin(), lane.end()));
  };
  return nb::make_tuple(copied(drawn.w), copied(drawn.g), copied(drawn.h));
}

}  // namespace

using namespace nb::literals;

void bind_draw_stages(nb::module_& stages) {
  stages.def("node_columns", &node_columns, "dataset"_a, "options"_a, "tree"_a, "place"_a);
  stages.def("draw_rows", &draw_rows, "dataset"_a, "g"_a, "h"_a, "options"_a, "tree"_a);
  stages.def("row_order", [](const Dataset& dataset) {
    const std::span<const std::uint32_t> order = dataset.row_order();
    return to_numpy(std::vector<std::uint32_t>(order.begin(), order.end()));
  });
}

}  // namespace plboost::bindings
