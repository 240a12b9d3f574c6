#include "core/tree/forest.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/modules.hpp"
#include "core/explain/importance.hpp"
#include "core/metric/metric.hpp"
#include "core/objective/objective.hpp"
#include "core/predict/predictor.hpp"
#include "core/serialize/forest_arrays.hpp"

namespace plboost::bindings {
namespace {

// Starting a thread takes as long as some thousand rows take to pass a tree.
int useful_threads(int n_threads, std::size_t n_outputs) {
  constexpr std::size_t kOutputsPerThread = 8192;
  return static_cast<int>(std::min(static_cast<std::size_t>(std::max(n_threads, 1)),
                                   1 + n_outputs / kOutputsPerThread));
}

NumpyScores predict(const Forest& forest, const AnyMatrix& x, int n_threads, std::size_t first_tree,
                    std::size_t last_tree) {
  const MatrixView view = view_of(x);
  if (view.n_columns != forest.features.size()) {
    throw InvalidInput("X has " + std::to_string(view.n_columns) + " features, the model has " +
                       std::to_string(forest.features.size()) + ".");
  }
  if (first_tree > last_tree || last_tree > forest.trees.size()) {
    throw InvalidInput("trees [" + std::to_string(first_tree) + ", " + std::to_string(last_tree) +
                       ") are not among the model's " + std::to_string(forest.trees.size()) + ".");
  }
  std::vector<double> scores;
  for (const double base : forest.base_score) scores.insert(scores.end(), view.n_rows, base);
  {
    const nb::gil_scoped_release unlocked;
    ThreadPool pool(useful_threads(n_threads, view.n_rows * (last_tree - first_tree)));
    add_outputs(forest, first_tree, last_tree, view, scores, pool);
  }
  return to_numpy_scores(std::move(scores), forest.n_outputs());
}

nb::dict arrays_of(const Forest& forest) {
  ForestArrays arrays = to_arrays(forest);
  nb::dict result;
  ForestArrays::visit(
      arrays, [&](const char* name, auto& array) { result[name] = to_numpy(std::move(array)); });
  return result;
}

Forest forest_of(const std::string& loss, const nb::dict& dict) {
  find_loss(loss);
  ForestArrays arrays;
  ForestArrays::visit(arrays, [&]<typename T>(const char* name, std::vector<T>& array) {
    if (!dict.contains(name)) {
      throw InvalidInput(std::string("not a valid model: the array ") + name + " is missing.");
    }
    Vector<T> values;
    if (!nb::try_cast<Vector<T>>(dict[name], values, false)) {
      throw InvalidInput(std::string("not a valid model: the array ") + name +
                         " has the wrong type or shape.");
    }
    array.assign(values.data(), values.data() + values.size());
  });
  return from_arrays(loss, arrays);
}

// Scores of shape (n_rows,) or (n_rows, n_outputs) -> predictions of the same shape.
NumpyScores apply_link(const std::string& name, const AnyScores& scores) {
  if (scores.ndim() != 1 && scores.ndim() != 2) {
    throw InvalidInput("scores must have one or two dimensions.");
  }
  const Loss& loss = find_loss(name);
  const std::size_t n_rows = scores.shape(0);
  const std::size_t n_outputs = scores.ndim() == 1 ? 1 : scores.shape(1);
  if (n_outputs == 0) throw InvalidInput("scores must have at least one column.");
  const std::int64_t stride = scores.ndim() == 1 ? 0 : scores.stride(1);
  std::vector<double> predictions(n_rows * n_outputs);
  std::vector<double> row(n_outputs);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double* at = scores.data() + static_cast<std::int64_t>(i) * scores.stride(0);
    for (std::size_t k = 0; k < n_outputs; ++k) row[k] = at[static_cast<std::int64_t>(k) * stride];
    if (n_outputs > 1 && loss.joint_link != nullptr) {
      loss.joint_link(row);
    } else {
      for (double& value : row) value = loss.link(value);
    }
    for (std::size_t k = 0; k < n_outputs; ++k) predictions[k * n_rows + i] = row[k];
  }
  return to_numpy_scores(std::move(predictions), scores.ndim() == 1 ? 1 : n_outputs);
}

double ranking_metric(const std::string& metric, const Vector<double>& scores,
                      const Vector<double>& grades, const std::optional<Vector<double>>& weights,
                      const Vector<std::int64_t>& query_sizes) {
  const auto [ranking, cutoff] = requested_metric(metric);
  if (ranking->measures != Predictions::kRanks || grades.size() != scores.size()) {
    throw InvalidInput("a ranking metric needs one grade for each score.");
  }
  const Queries queries = consecutive_queries(view_of(query_sizes), scores.size());
  const std::span<const double> known = weights_of(weights, scores.size());
  ranking->check(view_of(grades), known, 0);
  MetricParameters parameters;
  parameters.queries = &queries;
  parameters.cutoff = cutoff;
  return ranking->evaluate(view_of(scores), view_of(grades), known, parameters);
}

}  // namespace

using namespace nb::literals;

void bind_forest(nb::module_& module) {
  nb::class_<Forest>(module, "Forest")
      .def_prop_ro("n_trees", [](const Forest& forest) { return forest.trees.size(); })
      .def_prop_ro("n_features", [](const Forest& forest) { return forest.features.size(); })
      .def_ro("loss", &Forest::loss)
      .def_prop_ro("n_outputs", &Forest::n_outputs)
      .def_prop_ro(
          "base_score", [](const Forest& forest) { return to_numpy(forest.base_score); },
          nb::rv_policy::move)
      .def("predict", &predict, "X"_a, nb::kw_only(), "n_threads"_a, "first_tree"_a = 0,
           "last_tree"_a)
      .def(
          "first",
          [](const Forest& forest, std::size_t n_trees) {
            Forest result{forest.loss, forest.base_score, forest.features, {}};
            const std::size_t n = std::min(n_trees, forest.trees.size());
            result.trees.assign(forest.trees.begin(),
                                forest.trees.begin() + static_cast<std::ptrdiff_t>(n));
            return result;
          },
          "n_trees"_a)
      .def("to_arrays", &arrays_of)
      .def_static("from_arrays", &forest_of, "loss"_a, "arrays"_a)
      .def(
          "importance",
          [](const Forest& forest, const std::string& kind) {
            return to_numpy(feature_importance(forest, kind));
          },
          "kind"_a);
  module.def("apply_link", &apply_link, "loss"_a, "scores"_a);
  module.def("loss_names", [] {
    std::vector<std::string> names;
    for (const Loss* loss : losses()) names.emplace_back(loss->name);
    return names;
  });
  module.def("metric_names", [] {
    std::vector<std::string> names;
    for (const Metric* metric : metrics()) names.emplace_back(metric->name);
    return names;
  });
  module.def(
      "higher_is_better",
      [](const std::string& metric) {
        return find_metric(metric).better == Metric::Better::kHigher;
      },
      "metric"_a);
  module.def("ranking_metric", &ranking_metric, "metric"_a, "scores"_a, "grades"_a,
             "weights"_a.none(), "query_sizes"_a);
  module.def(
      "check_metric",
      [](const std::string& metric, const std::string& loss) {
        check_fits(find_metric(metric), loss, find_loss(loss).predicts);
      },
      "metric"_a, "loss"_a);
  module.def(
      "metric_name", [](const std::string& loss) { return find_loss(loss).metric; }, "loss"_a);
}

}  // namespace plboost::bindings
