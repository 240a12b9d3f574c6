#include "core/dataset/dataset.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/modules.hpp"
#include "core/tree/forest.hpp"

namespace plboost::bindings {

using namespace nb::literals;

void bind_dataset(nb::module_& module) {
  nb::class_<Dataset>(module, "Dataset")
      .def(
          "__init__",
          [](Dataset* self, const AnyMatrix& x, const Vector<double>& y,
             const std::optional<Vector<double>>& weight,
             const std::optional<Vector<double>>& init_score, int max_bins, std::uint64_t seed,
             int n_threads, const Forest* model,
             std::vector<std::int32_t> n_categories,
             const std::optional<Vector<std::int64_t>>& query_sizes) {
            const MatrixView view = view_of(x);
            BinningOptions options{.max_bins = max_bins, .n_categories = std::move(n_categories)};
            if (model != nullptr) options.scales = model->features;
            const nb::gil_scoped_release unlocked;
            ThreadPool pool(n_threads);
            new (self) Dataset(view, view_of(y), weights_of(weight, x.shape(0)),
                               view_of(init_score), options, seed, pool, view_of(query_sizes));
          },
          "X"_a, "y"_a, "weight"_a.none(), "init_score"_a = nb::none(), nb::kw_only(), "max_bins"_a,
          "seed"_a, "n_threads"_a, "model"_a.none() = nb::none(),
          "n_categories"_a = std::vector<std::int32_t>(), "query_sizes"_a = nb::none())
      .def_prop_ro("n_rows", &Dataset::n_rows)
      .def_prop_ro("n_queries", [](const Dataset& dataset) { return dataset.queries().size(); })
      .def("fingerprint", &Dataset::fingerprint)
      .def("row_order",
           [](const Dataset& dataset) {
             const auto order = dataset.row_order();
             return to_numpy(std::vector<std::uint32_t>(order.begin(), order.end()));
           })
      .def("targets",
           [](const Dataset& dataset) {
             const auto targets = dataset.targets();
             return to_numpy(std::vector<double>(targets.begin(), targets.end()));
           })
      .def_prop_ro("n_features", [](const Dataset& dataset) { return dataset.bins().size(); });
}

}  // namespace plboost::bindings
