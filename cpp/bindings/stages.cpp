#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/modules.hpp"
#include "bindings/options.hpp"
#include "core/base/thread_pool.hpp"
#include "core/binning/feature_bins.hpp"
#include "core/boost/evaluation.hpp"
#include "core/dataset/dataset.hpp"
#include "core/dataset/joint_codes.hpp"
#include "core/grow/column_choice.hpp"
#include "core/grow/grower.hpp"
#include "core/grow/leaf_models.hpp"
#include "core/grow/leaf_table.hpp"
#include "core/histogram/histogram.hpp"
#include "core/kernels/kernels.hpp"
#include "core/linear/leaf_fit.hpp"
#include "core/metric/metric.hpp"
#include "core/objective/joint_objective.hpp"
#include "core/objective/objective.hpp"
#include "core/split/combined_scan.hpp"

// Single stages, so that tests can feed them by hand.

namespace plboost::bindings {
namespace {

NumpyVector<std::uint8_t> encode(const FeatureBins& bins, const Vector<double>& values) {
  std::vector<std::uint8_t> codes;
  for (const double value : view_of(values)) codes.push_back(bins.code(value));
  return to_numpy(std::move(codes));
}

void check_same_length(std::size_t got, std::size_t expected, const char* what) {
  if (got != expected) {
    throw InvalidInput(std::string(what) + " must have " + std::to_string(expected) +
                       " elements, got " + std::to_string(got) + ".");
  }
}

// One tree from gradients given in the order of the caller's rows. Returns the tree as a forest of
// unit rate and, for every row of the caller, its leaf (-1: the row has no weight).
nb::tuple grow_tree(const Dataset& dataset, const Vector<float>& g, const Vector<float>& h,
                    const TrainingOptions& options, std::size_t n_rows, int n_threads) {
  check_same_length(g.size(), n_rows, "g");
  check_same_length(h.size(), n_rows, "h");
  std::vector<float> ordered_g;
  std::vector<float> ordered_h;
  for (const std::uint32_t row : dataset.row_order()) {
    check_same_length(n_rows, std::max<std::size_t>(n_rows, row + 1), "n_rows");
    ordered_g.push_back(g.data()[row]);
    ordered_h.push_back(h.data()[row]);
  }
  ThreadPool pool(n_threads);
  const GrowOptions grow = options.parse().grow;
  Grower grower(dataset, grow, pool, [] {});
  LeafModelFitter leaf_models(dataset, grow, pool);
  const Gradients gradients{ordered_g, ordered_h, {}, {}};
  Forest forest;
  forest.loss = "squared_error";
  for (const FeatureBins& bins : dataset.bins()) {
    forest.features.push_back(bins.feature_scale());
  }
  forest.set_clipping(grow.extrapolation == Extrapolation::kClamp);
  SlopeRecord no_slopes;
  Tree tree = leaf_models.fit(grower.grow(gradients, 0, tree_place(options.seed, 0)), gradients,
                              grower.order(), std::nullopt, no_slopes);
  std::vector<double> scores(dataset.n_rows());
  leaf_models.add_outputs(tree, 1.0, scores, nullptr, [](std::size_t, std::size_t) {});
  forest.trees.push_back(std::move(tree));
  std::vector<std::int32_t> leaf_of_row(n_rows, -1);
  const LeafAssignment& assignment = leaf_models.assignment();
  for (std::size_t block = 0; block < assignment.n_blocks(); ++block) {
    for (std::size_t leaf = 0; leaf < assignment.n_leaves(); ++leaf) {
      const LeafRows rows = assignment.rows(block, leaf);
      for (std::size_t i = 0; i < rows.n; ++i) {
        const std::uint32_t row = dataset.row_order()[rows.first + rows.rows[i]];
        leaf_of_row[row] = static_cast<std::int32_t>(leaf);
      }
    }
  }
  return nb::make_tuple(std::move(forest), to_numpy(std::move(leaf_of_row)));
}

// Statistics [code * 8 + lane] of one feature with the given codes.
NumpyVector<double> build_histogram(const Vector<std::uint8_t>& codes, const Vector<float>& g,
                                    const Vector<float>& h, const Vector<float>& z,
                                    const Vector<float>& w, std::size_t place) {
  const std::size_t n = codes.size();
  for (const auto* lane : {&g, &h, &z, &w}) check_same_length(lane->size(), n, "a lane");
  if (place >= kGroupSlots) throw InvalidInput("place must be below 4.");
  std::vector<std::uint32_t> words(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = std::uint32_t{codes.data()[i]} << (8 * place);
  const std::vector<SlotCodes> slots(kGroupSlots, {.n_codes = kCodes});
  std::vector<float> histogram(kGroupFloats);
  HistogramBuilder(slots).build({.statistics = {g.data(), h.data(), z.data(), w.data()},
                                 .n = n,
                                 .codes = words.data(),
                                 .group_stride = n},
                                {0, 1}, {}, histogram.data());
  const float* bins = histogram.data() + place * kSlotFloats;
  return to_numpy(std::vector<double>(bins, bins + kSlotFloats));
}

// Columns of the caller's matrix that share a slot, slot by slot.
std::vector<std::vector<int>> dataset_slots(const Dataset& dataset) {
  std::vector<std::vector<int>> slots(dataset.n_slots());
  for (const CodedFeature& feature : dataset.features()) {
    slots[feature.slot].push_back(feature.index);
  }
  return slots;
}

bool add_bins(JointCodes& joint, const Vector<std::uint8_t>& bins) {
  check_same_length(bins.size(), joint.codes().size(), "bins");
  JointCodes::PairTable pairs = JointCodes::pair_table();
  return joint.add(view_of(bins), pairs);
}

NumpyVector<std::uint8_t> bin_of_code(const JointCodes& joint, std::size_t k) {
  const auto& bins = joint.bin_of_code(k);
  return to_numpy(std::vector<std::uint8_t>(bins.data(), bins.data() + joint.n_codes()));
}

NumpyVector<float> marginalise(const Vector<float>& joint, const Vector<std::uint8_t>& bins,
                               std::size_t n_bins) {
  check_same_length(joint.size(), bins.size() * kLanes, "joint");
  std::vector<float> marginal(n_bins * kLanes);
  std::vector<std::uint8_t> occupied;
  find_occupied(joint.data(), bins.size(), kN, occupied);
  marginalise_histogram(joint.data(), occupied, bins.data(), n_bins, marginal.data());
  return to_numpy(std::move(marginal));
}

// The best cut of feature 0 of a node whose regressors are the features 1, 2, ... (and 0, where it
// has a slope of its own), all with the same bins.
nb::object scan_feature(const FeatureBins& bins, const Vector<float>& histogram,
                        const std::vector<double>& slopes, std::optional<double> own_slope,
                        const TrainingOptions& options, const std::string& way) {
  check_same_length(histogram.size(), static_cast<std::size_t>(bins.n_codes()) * kLanes,
                    "histogram");
  NodeModel model;
  if (own_slope) model.add({0, &bins}, *own_slope);
  for (std::size_t j = 0; j < slopes.size(); ++j) model.add({j + 1, &bins}, slopes[j]);
  double h = 0.0;
  for (std::size_t at = 0; at < histogram.size(); at += kLanes) {
    h += static_cast<double>(histogram.data()[at + kH]);
    model.mean += static_cast<double>(histogram.data()[at + kHZ]);
  }
  if (h > 0.0) model.mean /= h;
  const GrowOptions grow = options.parse().grow;
  const auto scan = way == "plain" ? &scan_combined_plain : &scan_combined;
  const Candidate best = scan(histogram.data(), whole(0, bins), model, grow.split, grow.ridge);
  if (!best.valid) return nb::none();
  const auto child = [](const ChildModel& m) {
    return std::vector<double>{m.mean_z, m.slope_z, m.slope_x, m.shift, m.takes_column ? 1.0 : 0.0};
  };
  return nb::make_tuple(best.gain, best.threshold, best.missing_left, best.redundant,
                        child(best.left), child(best.right));
}

nb::tuple partition(const Vector<std::uint32_t>& items, const Vector<bool>& goes_left) {
  const std::size_t n = items.size();
  check_same_length(goes_left.size(), n, "goes_left");
  std::vector<std::uint64_t> bits((n + 63) / 64);
  std::size_t n_left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    bits[i / 64] |= std::uint64_t{goes_left.data()[i]} << (i % 64);
    n_left += goes_left.data()[i];
  }
  std::vector<std::uint32_t> left(n_left);
  std::vector<std::uint32_t> right(n - n_left);
  kernels().partition({.items = reinterpret_cast<const std::byte*>(items.data()),
                       .left = reinterpret_cast<std::byte*>(left.data()),
                       .right = reinterpret_cast<std::byte*>(right.data()),
                       .stride = 0,
                       .n_lanes = 1},
                      bits.data(), n);
  return nb::make_tuple(to_numpy(std::move(left)), to_numpy(std::move(right)));
}

// Intercept, then slopes, of one leaf that holds every row and has every feature as a column.
std::vector<double> fit_one_leaf(const Dataset& dataset, const Vector<float>& g,
                                 const Vector<float>& h, const TrainingOptions& options) {
  const std::size_t n = dataset.n_rows();
  check_same_length(g.size(), n, "g");
  check_same_length(h.size(), n, "h");
  const RidgeOptions ridge = options.parse().grow.ridge;
  std::vector<LeafTerm> terms;
  std::vector<LeafColumn> columns;
  for (const CodedFeature& feature : dataset.features()) {
    const std::span<const std::uint32_t> codes = dataset.group_codes(feature.group());
    const double first = static_cast<double>(feature.values[(codes[0] >> feature.shift()) & 0xffU]);
    terms.push_back({codes.data(), feature.shift(), feature.values.data(), first, 0.0});
    columns.push_back({first, feature_ridge(*feature.bins, ridge)});
  }
  if (n > 65536) throw InvalidInput("at most 65536 rows.");
  std::vector<std::uint16_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::uint16_t{0});
  LeafTableBuffer buffer;
  std::vector<double> moments(moment_count(terms.size()));
  kernels().add_moments(buffer.fetch({terms.data(), terms.size(), 0.0}, {0, rows.data(), n},
                                     {g.data(), h.data(), nullptr, nullptr}),
                        moments.data());
  const LeafLine line = fit_leaf({terms.size(), moments.data()}, columns, ridge);
  std::vector<double> result{line.intercept};
  for (std::size_t j = 0; j < terms.size(); ++j) {
    result[0] -= line.slopes[j] * columns[j].reference;
    result.push_back(line.slopes[j]);
  }
  return result;
}

nb::tuple gradients(const std::string& loss, const Vector<double>& targets,
                    const Vector<double>& weights, const Vector<double>& scores,
                    const std::vector<double>& alpha, std::optional<double> power) {
  check_same_length(weights.size(), targets.size(), "weights");
  check_same_length(scores.size(), targets.size(), "scores");
  const auto objective = find_loss(loss).make(view_of(targets), view_of(weights), {alpha, power});
  std::vector<float> g(targets.size());
  std::vector<float> h(targets.size());
  if (objective->hessian() == Objective::Hessian::kIsWeight) {
    std::transform(weights.data(), weights.data() + weights.size(), h.begin(),
                   [](double weight) { return static_cast<float>(weight); });
  }
  objective->adapt(view_of(scores));
  objective->gradients(view_of(scores), 0, targets.size(), g.data(), h.data());
  return nb::make_tuple(objective->initial_score(), objective->unit(), objective->gain_scale(),
                        to_numpy(std::move(g)), to_numpy(std::move(h)));
}

// Initial scores, gradients and hessians of all outputs; every array holds output after output.
nb::tuple joint_gradients(const std::string& loss, const Vector<double>& targets,
                          const Vector<double>& weights, const Vector<double>& scores) {
  const std::size_t n_rows = weights.size();
  if (n_rows == 0 || targets.size() == 0 || targets.size() % n_rows != 0) {
    throw InvalidInput("targets must have one or more columns.");
  }
  const auto objective = make_objective(
      find_loss(loss), {view_of(targets), targets.size() / n_rows}, view_of(weights), {});
  check_same_length(scores.size(), n_rows * objective->n_outputs(), "scores");
  std::vector<double> initial;
  for (std::size_t k = 0; k < objective->n_outputs(); ++k) {
    initial.push_back(objective->initial_score(k));
  }
  std::vector<float> g(scores.size());
  std::vector<float> h(scores.size());
  objective->gradients(view_of(scores), 0, n_rows, g.data(), h.data());
  return nb::make_tuple(to_numpy(std::move(initial)), to_numpy(std::move(g)),
                        to_numpy(std::move(h)));
}

// Gradients and hessians of documents, whose queries follow one another.
nb::tuple ranking_gradients(const std::string& loss, const Vector<double>& grades,
                            const std::optional<Vector<double>>& weights,
                            const Vector<double>& scores, const Vector<std::int64_t>& query_sizes,
                            std::optional<std::size_t> truncation_level) {
  const std::size_t n_rows = grades.size();
  check_same_length(scores.size(), n_rows, "scores");
  const Queries queries = consecutive_queries(view_of(query_sizes), n_rows);
  const auto objective =
      make_objective(find_loss(loss), {view_of(grades), 1, &queries}, weights_of(weights, n_rows),
                     {.alpha = {}, .power = {}, .truncation_level = truncation_level});
  ThreadPool pool(1);
  objective->adapt(view_of(scores), pool);
  std::vector<float> g(n_rows);
  std::vector<float> h(n_rows);
  objective->gradients(view_of(scores), 0, n_rows, g.data(), h.data());
  return nb::make_tuple(to_numpy(std::move(g)), to_numpy(std::move(h)));
}

double evaluate_outputs(const std::string& metric, const Vector<double>& scores,
                        const Vector<double>& targets, const Vector<double>& weights) {
  const std::size_t n_rows = weights.size();
  if (n_rows == 0 || scores.size() == 0 || scores.size() % n_rows != 0 ||
      (targets.size() != n_rows && targets.size() != scores.size())) {
    throw InvalidInput("scores and targets must have one or more values for each row.");
  }
  return evaluate(find_metric(metric), view_of(scores), view_of(targets), view_of(weights), n_rows,
                  metric_parameters(find_loss("squared_error"), {}));
}

double evaluate_one(const std::string& metric, const Vector<double>& scores,
                    const Vector<double>& targets, const std::optional<Vector<double>>& weights,
                    const std::string& loss, const std::vector<double>& alpha,
                    std::optional<double> power) {
  check_same_length(targets.size(), scores.size(), "targets");
  return find_metric(metric).evaluate(view_of(scores), view_of(targets),
                                      weights_of(weights, scores.size()),
                                      metric_parameters(find_loss(loss), {alpha, power}));
}

// How often each chunk ran; chunk `bad` throws.
std::vector<int> run_chunks(std::size_t n_chunks, int n_threads, std::optional<std::size_t> bad) {
  const nb::gil_scoped_release unlocked;
  std::vector<int> runs(n_chunks);
  ThreadPool pool(n_threads);
  pool.run(n_chunks, [&](std::size_t chunk, std::size_t) {
    if (bad == chunk) throw InvalidInput("chunk " + std::to_string(chunk) + " is bad");
    ++runs[chunk];
  });
  return runs;
}

}  // namespace

using namespace nb::literals;

void bind_stages(nb::module_& module) {
  nb::module_ stages = module.def_submodule("stages", "Single stages of training, for tests.");
  nb::class_<FeatureBins>(stages, "FeatureBins")
      .def_ro("edges", &FeatureBins::edges)
      .def_ro("means", &FeatureBins::means)
      .def_ro("values", &FeatureBins::values)
      .def_ro("mean", &FeatureBins::mean)
      .def_ro("scale", &FeatureBins::scale)
      .def_ro("low", &FeatureBins::low)
      .def_ro("high", &FeatureBins::high)
      .def_ro("has_missing", &FeatureBins::has_missing)
      .def_prop_ro("n_bins", &FeatureBins::n_bins)
      .def_prop_ro("usable", &FeatureBins::usable)
      .def_prop_ro("can_regress", &FeatureBins::can_regress)
      .def("encode", &encode, "values"_a);
  stages.def(
      "find_bins",
      [](const Vector<double>& values, const Vector<double>& weights, int max_bins) {
        check_same_length(weights.size(), values.size(), "weights");
        return find_bins(view_of(values), view_of(weights), {.max_bins = max_bins});
      },
      "values"_a, "weights"_a, "max_bins"_a);
  stages.def(
      "dataset_bins",
      [](const Dataset& dataset, std::size_t feature) { return dataset.bins().at(feature); },
      "dataset"_a, "feature"_a);
  stages.def("grow_tree", &grow_tree, "dataset"_a, "g"_a, "h"_a, "options"_a, "n_rows"_a,
             "n_threads"_a = 1);
  stages.def("build_histogram", &build_histogram, "codes"_a, "g"_a, "h"_a, "z"_a, "w"_a,
             "place"_a = 0);
  stages.def("partition", &partition, "items"_a, "goes_left"_a);
  stages.def("fit_leaf", &fit_one_leaf, "dataset"_a, "g"_a, "h"_a, "options"_a);
  stages.def("gradients", &gradients, "loss"_a, "targets"_a, "weights"_a, "scores"_a,
             "alpha"_a = std::vector<double>(), "power"_a = nb::none());
  stages.def("evaluate", &evaluate_one, "metric"_a, "scores"_a, "targets"_a, "weights"_a.none(),
             "loss"_a = "squared_error", "alpha"_a = std::vector<double>(), "power"_a = nb::none());
  stages.def("ranking_gradients", &ranking_gradients, "loss"_a, "grades"_a, "weights"_a.none(),
             "scores"_a, "query_sizes"_a, "truncation_level"_a.none() = nb::none());
  stages.def("joint_gradients", &joint_gradients, "loss"_a, "targets"_a, "weights"_a, "scores"_a);
  stages.def("evaluate_outputs", &evaluate_outputs, "metric"_a, "scores"_a, "targets"_a,
             "weights"_a);
  stages.def("run_chunks", &run_chunks, "n_chunks"_a, "n_threads"_a, "bad"_a.none());
  stages.def("active_kernels", [] { return std::string(kernels().name); });
  stages.def("dataset_slots", &dataset_slots, "dataset"_a);
  nb::class_<JointCodes>(stages, "JointCodes")
      .def(nb::init<std::size_t>(), "n_rows"_a)
      .def("add", &add_bins, "bins"_a)
      .def_prop_ro("n_codes", &JointCodes::n_codes)
      .def("codes",
           [](const JointCodes& joint) {
             return to_numpy(std::vector<std::uint8_t>(joint.codes().begin(), joint.codes().end()));
           })
      .def("bin_of_code", &bin_of_code, "feature"_a);
  stages.def("marginalise", &marginalise, "joint"_a, "bin_of_code"_a, "n_bins"_a);
  stages.def("scan_feature", &scan_feature, "bins"_a, "histogram"_a, "slopes"_a,
             "own_slope"_a.none(), "options"_a, "way"_a);
  bind_kernel_stages(stages);
  bind_draw_stages(stages);
}

}  // namespace plboost::bindings
