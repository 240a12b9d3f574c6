#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/modules.hpp"
#include "bindings/options.hpp"
#include "core/boost/trainer.hpp"

namespace plboost::bindings {
namespace {

// An evaluation set with a hold on the arrays that it views.
struct BoundEvaluationSet {
  AnyMatrix x;
  Vector<double> targets;
  std::optional<Vector<double>> weights;

  EvaluationSet view() const {
    return {view_of(x), view_of(targets), weights_of(weights, x.shape(0))};
  }
};

// Lets Python handle Ctrl-C, but takes its lock only now and then.
class SignalCheck {
 public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(20)) return;
    last_ = now;
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

using OnRound = std::function<void(int, std::vector<double>)>;

Forest bound_train(const Dataset& dataset, const TrainingOptions& options,
                   const std::vector<const BoundEvaluationSet*>& evaluation_sets, int n_threads,
                   const std::optional<nb::callable>& on_round) {
  const BoostOptions boost = options.parse();
  std::vector<EvaluationSet> sets;
  for (const BoundEvaluationSet* set : evaluation_sets) sets.push_back(set->view());
  TrainingHooks hooks;
  hooks.check_interrupt = SignalCheck();
  hooks.on_round = [&](int round, const std::vector<double>& metrics) {
    if (!on_round) return;
    const nb::gil_scoped_acquire locked;
    (*on_round)(round, metrics);
  };
  const nb::gil_scoped_release unlocked;
  ThreadPool pool(n_threads);
  return train(dataset, boost, sets, hooks, pool);
}

}  // namespace

using namespace nb::literals;

void bind_training(nb::module_& module) {
  nb::class_<TrainingOptions>(module, "TrainingOptions")
      .def(nb::init<>())
      .def_rw("loss", &TrainingOptions::loss)
      .def_rw("alpha", &TrainingOptions::alpha)
      .def_rw("power", &TrainingOptions::power, nb::arg().none())
      .def_rw("n_rounds", &TrainingOptions::n_rounds)
      .def_rw("learning_rate", &TrainingOptions::learning_rate)
      .def_rw("max_leaves", &TrainingOptions::max_leaves)
      .def_rw("max_depth", &TrainingOptions::max_depth)
      .def_rw("min_samples_leaf", &TrainingOptions::min_samples_leaf)
      .def_rw("min_hessian", &TrainingOptions::min_hessian)
      .def_rw("min_gain", &TrainingOptions::min_gain)
      .def_rw("l2", &TrainingOptions::l2)
      .def_rw("l2_slopes", &TrainingOptions::l2_slopes)
      .def_rw("max_regressors", &TrainingOptions::max_regressors)
      .def_rw("split_sample", &TrainingOptions::split_sample)
      .def_rw("split_sample_rows", &TrainingOptions::split_sample_rows)
      .def_rw("seed", &TrainingOptions::seed)
      .def_rw("fitting", &TrainingOptions::fitting)
      .def_rw("regressors", &TrainingOptions::regressors)
      .def_rw("repeated", &TrainingOptions::repeated)
      .def_rw("penalty", &TrainingOptions::penalty)
      .def_rw("refit_leaves", &TrainingOptions::refit_leaves)
      .def_rw("slope_shrinkage", &TrainingOptions::slope_shrinkage)
      .def_rw("extrapolation", &TrainingOptions::extrapolation);
  nb::class_<BoundEvaluationSet>(module, "EvaluationSet")
      .def(
          "__init__",
          [](BoundEvaluationSet* self, AnyMatrix x, Vector<double> y,
             std::optional<Vector<double>> weight) {
            new (self) BoundEvaluationSet{std::move(x), std::move(y), std::move(weight)};
          },
          "X"_a, "y"_a, "weight"_a.none());
  module.def("train", &bound_train, "dataset"_a, "options"_a, "evaluation_sets"_a, nb::kw_only(),
             "n_threads"_a, "on_round"_a.none());
}

}  // namespace plboost::bindings
