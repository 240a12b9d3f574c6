#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

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
  std::optional<Vector<double>> initial_scores;
  std::optional<Vector<std::int64_t>> query_sizes;

  EvaluationSet view() const {
    return {view_of(x), view_of(targets), weights_of(weights, x.shape(0)), view_of(initial_scores),
            view_of(query_sizes)};
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

// No mutex: one and the same thread can come twice, through the handler of a signal.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& busy) : busy_(busy) {
    if (busy_.exchange(true)) throw std::runtime_error("this trainer is at work in another call.");
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { busy_ = false; }

 private:
  std::atomic<bool>& busy_;
};

// A trainer with its threads and a hold on everything that it views.
class BoundTrainer {
 public:
  BoundTrainer(const nb::object& dataset, const TrainingOptions& options, const nb::list& sets,
               int n_threads)
      : dataset_(dataset), sets_(nb::list(nb::tuple(sets))) {
    const auto& data = nb::cast<const Dataset&>(dataset);
    const BoostOptions boost = options.parse();
    std::vector<EvaluationSet> views;
    for (const nb::handle set : sets_) {
      views.push_back(nb::cast<const BoundEvaluationSet&>(set).view());
    }
    const nb::gil_scoped_release unlocked;
    pool_ = std::make_unique<ThreadPool>(n_threads);
    trainer_ = std::make_unique<Trainer>(data, boost, std::move(views), SignalCheck(), *pool_);
  }

  // Runs work(trainer) without the interpreter's lock. One at a time: another thread, or the
  // handler of a signal, could come in between.
  template <typename Work>
  auto run(Work&& work) {
    const Turn turn(busy_);
    if (!trainer_) throw std::runtime_error("this trainer was closed.");
    const nb::gil_scoped_release unlocked;
    return work(*trainer_);
  }

  // Ends the threads.
  void close() {
    const Turn turn(busy_);
    const nb::gil_scoped_release unlocked;
    trainer_.reset();
    pool_.reset();
  }

 private:
  nb::object dataset_;
  nb::list sets_;
  std::atomic<bool> busy_ = false;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Trainer> trainer_;
};

using ConfirmationPairs = std::vector<std::pair<double, double>>;

ConfirmationPairs to_pairs(const std::vector<Confirmation>& given) {
  ConfirmationPairs pairs;
  for (const Confirmation& each : given) pairs.emplace_back(each.agreement, each.size);
  return pairs;
}

std::vector<Confirmation> from_pairs(const ConfirmationPairs& pairs) {
  std::vector<Confirmation> result;
  for (const auto& [agreement, size] : pairs) result.push_back({agreement, size});
  return result;
}

nb::dict state_of(BoundTrainer& trainer) {
  TrainerState state = trainer.run([](const Trainer& it) { return it.state(); });
  nb::dict result;
  result["forest"] = std::move(state.forest);
  result["scores"] = to_numpy(std::move(state.scores));
  result["random"] = state.random;
  std::vector<double> sizes;
  std::vector<Confirmation> splits;
  for (const TreeSize::State& size : state.tree_sizes) {
    sizes.push_back(size.leaves);
    splits.push_back(size.splits);
  }
  result["tree_sizes"] = std::move(sizes);
  result["splits"] = to_pairs(splits);
  std::vector<Confirmation> slopes;
  std::vector<Confirmation> unknown_slopes;
  for (const SlopeRecord& of_output : state.slopes) {
    slopes.push_back(of_output.left_out);
    unknown_slopes.push_back(of_output.unknown);
  }
  result["slopes"] = to_pairs(slopes);
  result["unknown_slopes"] = to_pairs(unknown_slopes);
  result["steps"] = to_pairs(state.steps);
  return result;
}

void restore(BoundTrainer& trainer, const Forest& forest, const Vector<double>& scores,
             std::uint64_t random, const std::vector<double>& tree_sizes,
             const ConfirmationPairs& splits, const ConfirmationPairs& slopes,
             const ConfirmationPairs& unknown_slopes, const ConfirmationPairs& steps) {
  if (splits.size() != tree_sizes.size() || slopes.size() != unknown_slopes.size()) {
    throw InvalidInput("the state was saved by a training on other data or loss.");
  }
  TrainerState state{.forest = forest,
                     .scores = {scores.data(), scores.data() + scores.size()},
                     .random = random,
                     .tree_sizes = {},
                     .slopes = {},
                     .steps = from_pairs(steps)};
  const std::vector<Confirmation> of_splits = from_pairs(splits);
  for (std::size_t i = 0; i < of_splits.size(); ++i) {
    state.tree_sizes.push_back({tree_sizes[i], of_splits[i]});
  }
  const std::vector<Confirmation> left_out = from_pairs(slopes);
  const std::vector<Confirmation> unknown = from_pairs(unknown_slopes);
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    state.slopes.push_back({left_out[i], unknown[i]});
  }
  trainer.run([&](Trainer& it) { it.restore(std::move(state)); });
}

using namespace nb::literals;

void bind_options(nb::module_& module) {
  nb::class_<TrainingOptions>(module, "TrainingOptions")
      .def(nb::init<>())
      .def_rw("loss", &TrainingOptions::loss)
      .def_rw("alpha", &TrainingOptions::alpha)
      .def_rw("power", &TrainingOptions::power, nb::arg().none())
      .def_rw("truncation_level", &TrainingOptions::truncation_level, nb::arg().none())
      .def_rw("metrics", &TrainingOptions::metrics, nb::arg().none())
      .def_rw("base_score", &TrainingOptions::base_score)
      .def_rw("max_leaves", &TrainingOptions::max_leaves)
      .def_rw("adapts_leaves", &TrainingOptions::adapts_leaves)
      .def_rw("shortens_steps", &TrainingOptions::shortens_steps)
      .def_rw("lengthens_steps", &TrainingOptions::lengthens_steps)
      .def_rw("max_depth", &TrainingOptions::max_depth)
      .def_rw("min_samples_leaf", &TrainingOptions::min_samples_leaf)
      .def_rw("min_hessian", &TrainingOptions::min_hessian)
      .def_rw("min_gain", &TrainingOptions::min_gain)
      .def_rw("min_samples_category", &TrainingOptions::min_samples_category)
      .def_rw("category_smoothing", &TrainingOptions::category_smoothing)
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
      .def_rw("mean_shrinkage", &TrainingOptions::mean_shrinkage)
      .def_rw("extrapolation", &TrainingOptions::extrapolation)
      .def_rw("subsample", &TrainingOptions::subsample)
      .def_rw("subsample_method", &TrainingOptions::subsample_method)
      .def_rw("top_rate", &TrainingOptions::top_rate)
      .def_rw("colsample_bytree", &TrainingOptions::colsample_bytree)
      .def_rw("colsample_bylevel", &TrainingOptions::colsample_bylevel)
      .def_rw("colsample_bynode", &TrainingOptions::colsample_bynode)
      .def_rw("monotonic_cst", &TrainingOptions::monotonic_cst)
      .def_rw("nonnegative_slopes", &TrainingOptions::nonnegative_slopes)
      .def_rw("split_features", &TrainingOptions::split_features)
      .def_rw("regressor_features", &TrainingOptions::regressor_features)
      .def_rw("interaction_cst", &TrainingOptions::interaction_cst);
}

void bind_evaluation_set(nb::module_& module) {
  nb::class_<BoundEvaluationSet>(module, "EvaluationSet")
      .def(
          "__init__",
          [](BoundEvaluationSet* self, AnyMatrix x, Vector<double> y,
             std::optional<Vector<double>> weight, std::optional<Vector<double>> init_score,
             std::optional<Vector<std::int64_t>> query_sizes) {
            new (self) BoundEvaluationSet{std::move(x), std::move(y), std::move(weight),
                                          std::move(init_score), std::move(query_sizes)};
          },
          "X"_a, "y"_a, "weight"_a.none(), "init_score"_a = nb::none(),
          "query_sizes"_a = nb::none());
}

}  // namespace

void bind_training(nb::module_& module) {
  bind_options(module);
  bind_evaluation_set(module);
  nb::class_<BoundTrainer>(module, "Trainer")
      .def(nb::init<const nb::object&, const TrainingOptions&, const nb::list&, int>(), "dataset"_a,
           "options"_a, "evaluation_sets"_a, nb::kw_only(), "n_threads"_a)
      .def(
          "round",
          [](BoundTrainer& self, double learning_rate) {
            self.run([&](Trainer& trainer) { trainer.round(learning_rate); });
          },
          "learning_rate"_a)
      .def(
          "set_gradients",
          [](BoundTrainer& self, const Vector<double>& g, const Vector<double>& h) {
            self.run([&](Trainer& trainer) { trainer.set_gradients(view_of(g), view_of(h)); });
          },
          "g"_a, "h"_a)
      .def(
          "evaluation_scores",
          [](BoundTrainer& self, std::size_t set) {
            return to_numpy(self.run(
                [&](const Trainer& trainer) { return trainer.evaluation().scores().at(set); }));
          },
          "set"_a)
      .def_prop_ro("n_outputs",
                   [](BoundTrainer& self) {
                     return self.run([](const Trainer& trainer) { return trainer.n_outputs(); });
                   })
      .def_prop_ro("judges",
                   [](BoundTrainer& self) {
                     return self.run([](const Trainer& trainer) { return trainer.judges(); });
                   })
      .def("metrics",
           [](BoundTrainer& self) {
             return self.run([](const Trainer& trainer) { return trainer.evaluation().metrics(); });
           })
      .def("forest",
           [](BoundTrainer& self) {
             return self.run([](const Trainer& trainer) { return trainer.forest(); });
           })
      .def("scores",
           [](BoundTrainer& self) {
             return to_numpy(self.run([](const Trainer& trainer) {
               return std::vector<double>(trainer.scores().begin(), trainer.scores().end());
             }));
           })
      .def("state", &state_of)
      .def("restore", &restore, nb::kw_only(), "forest"_a, "scores"_a, "random"_a, "tree_sizes"_a,
           "splits"_a, "slopes"_a, "unknown_slopes"_a, "steps"_a)
      .def(
          "extend",
          [](BoundTrainer& self, const Forest& forest) {
            self.run([&](Trainer& trainer) { trainer.extend(forest); });
          },
          "forest"_a)
      .def("close", &BoundTrainer::close);
}

}  // namespace plboost::bindings
