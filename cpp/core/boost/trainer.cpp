#include "core/boost/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/error.hpp"
#include "core/objective/given_gradients.hpp"

namespace plboost {
namespace {

// Rows whose gradients one task computes.
constexpr std::size_t kGrain = 16384;
// The statistics of a bin grow with the square of the regressors.
constexpr std::size_t kLargestFullModel = 256;

// Whether trees can be judged by rows that they do not know of. The judgement is one on
// second-order steps, by rows that were drawn at random and know nothing of each other.
bool can_judge(const BoostOptions& options, const JointObjective& objective,
               const Dataset& dataset) {
  const std::size_t n_known = options.grow.sample.subsampled(dataset.n_rows());
  if (n_known == dataset.n_rows() || options.rows.method != SubsampleMethod::kUniform ||
      !dataset.queries().empty()) {
    return false;
  }
  for (std::size_t output = 0; output < objective.n_outputs(); ++output) {
    const Objective* single = objective.single(output);
    if (single != nullptr && single->renewal()) return false;
  }
  return true;
}

GrowOptions grow_options(const BoostOptions& options, const JointObjective& objective,
                         const Dataset& dataset) {
  GrowOptions grow = options.grow;
  if (grow.adapts_leaves && !can_judge(options, objective, dataset)) {
    grow.adapts_leaves = false;
    grow.max_leaves = std::min(grow.max_leaves, TreeSize::kFirst);
  }
  if (grow.split.regressors != RegressorChoice::kAll) return grow;
  if (grow.split.fitting != Fitting::kFullyCorrective) {
    throw InvalidInput("regressors='all' needs fitting='fully_corrective'.");
  }
  if (dataset.features().size() > kLargestFullModel) {
    throw InvalidInput("regressors='all' fits every feature in every node and takes at most " +
                       std::to_string(kLargestFullModel) + " features, got " +
                       std::to_string(dataset.features().size()) + ". Use regressors='path'.");
  }
  return grow;
}

Forest empty_forest(const BoostOptions& options, const JointObjective& objective,
                    const Dataset& dataset) {
  Forest forest;
  forest.loss = options.loss;
  // Initial scores that the user gives take the place of the base score.
  forest.base_score.assign(objective.n_outputs(), 0.0);
  if (dataset.initial_scores().empty()) {
    for (std::size_t output = 0; output < objective.n_outputs(); ++output) {
      forest.base_score[output] = objective.initial_score(output);
    }
  }
  for (const FeatureBins& bins : dataset.bins()) {
    forest.features.push_back(bins.feature_scale());
  }
  forest.set_clipping(options.grow.extrapolation == Extrapolation::kClamp);
  return forest;
}

std::vector<RequestedMetric> fitting_metrics(const BoostOptions& options) {
  const Loss& loss = find_loss(options.loss);
  std::vector<RequestedMetric> metrics;
  if (!options.metrics) {
    if (!loss.metric.empty()) metrics.push_back(requested_metric(loss.metric));
    return metrics;
  }
  for (const std::string& name : *options.metrics) {
    metrics.push_back(requested_metric(name));
    check_fits(*metrics.back().metric, loss.name, loss.predicts);
  }
  return metrics;
}

std::unique_ptr<JointObjective> objective_of(const BoostOptions& options, const Dataset& dataset) {
  if (options.loss == kCustom.name) {
    check_queries(kCustom, &dataset.queries());
    return make_given_gradients(options.base_score);
  }
  return make_objective(find_loss(options.loss),
                        {dataset.targets(), dataset.n_target_columns(), &dataset.queries()},
                        dataset.weights(), options.loss_parameters);
}

// A derivative that the user's function returned, as trees take it.
float checked_derivative(const char* name, double value, double weight) {
  const auto weighted = static_cast<float>(value * weight);
  if (std::isfinite(weighted)) return weighted;
  throw InvalidInput("the " + std::string(name) + " of a loss must be finite in float32, got " +
                     shown(value) + " at weight " + shown(weight) + ".");
}

// Shrinks the tree's outputs by the learning rate and takes them from the objective's unit to that
// of the scores.
void scale_outputs(Tree& tree, double factor) {
  for (Leaf& leaf : tree.leaves) {
    leaf.intercept *= factor;
    leaf.low *= factor;
    leaf.high *= factor;
  }
  for (Slope& regressor : tree.regressors) regressor.slope *= factor;
}

// For each output the leaves of the largest of its last trees: single ones may be small by chance.
std::vector<std::size_t> latest_sizes(const Forest& forest) {
  constexpr std::size_t kRounds = 10;
  std::vector<std::size_t> sizes(forest.n_outputs(), 0);
  const std::size_t n_trees = forest.trees.size();
  for (std::size_t i = n_trees - std::min(n_trees, kRounds * sizes.size()); i < n_trees; ++i) {
    std::size_t& size = sizes[i % sizes.size()];
    size = std::max(size, forest.trees[i].leaves.size());
  }
  return sizes;
}

void check_confirmations(const std::string& what, std::span<const Confirmation> given) {
  for (const Confirmation& each : given) {
    if (!std::isfinite(each.agreement) || !std::isfinite(each.size) || each.size < 0.0) {
      throw InvalidInput("what the state says of " + what +
                         " must be finite, and no size negative.");
    }
  }
}

}  // namespace

Trainer::Trainer(const Dataset& dataset, const BoostOptions& options,
                 std::vector<EvaluationSet> sets, std::function<void()> check_interrupt,
                 ThreadPool& pool)
    : dataset_(dataset),
      pool_(pool),
      check_interrupt_(std::move(check_interrupt)),
      objective_(objective_of(options, dataset)),
      grow_(grow_options(options, *objective_, dataset)),
      forest_(empty_forest(options, *objective_, dataset)),
      evaluation_(std::move(sets), fitting_metrics(options),
                  metric_parameters(find_loss(options.loss), options.loss_parameters), forest_,
                  dataset.n_target_columns()),
      grower_(dataset, grow_, pool, check_interrupt_),
      leaf_models_(dataset, grow_, pool),
      rows_(dataset, grow_.sample.subsampled(dataset.n_rows()), options.rows),
      judges_((options.shortens_steps || grow_.adapts_leaves) &&
              can_judge(options, *objective_, dataset)),
      tree_sizes_(objective_->n_outputs(), TreeSize(grow_.max_leaves, grow_.adapts_leaves)),
      step_sizes_(objective_->n_outputs(), StepSize({.shorter = judges_ && options.shortens_steps,
                                                     .longer = judges_ && options.lengthens_steps},
                                                    grow_.sample.subsample)),
      slopes_(objective_->n_outputs()),
      seed_(options.seed),
      random_(options.seed) {
  start_scores();
  g_.resize(scores_.size());
  h_.resize(objective_->hessian() == Objective::Hessian::kVaries ? g_.size() : 0);
  update_gradients();
}

void Trainer::round(double learning_rate) {
  check_usable();
  if (!std::isfinite(learning_rate) || learning_rate < 0.0) {
    throw InvalidInput("learning_rate must be finite and at least 0, got " + shown(learning_rate) +
                       ".");
  }
  if (!has_gradients_) throw std::runtime_error("the gradients of this round were not given.");
  in_round_ = true;
  // One sample for all trees of the round: an output gets the trees that it would get alone.
  const std::size_t first_row = random_.below(static_cast<std::uint32_t>(dataset_.n_rows()));
  std::vector<Tree> trees;
  for (std::size_t output = 0; output < n_outputs(); ++output) {
    check_interrupt_();
    trees.push_back(grow_tree(output, first_row, learning_rate));
  }
  std::move(trees.begin(), trees.end(), std::back_inserter(forest_.trees));
  evaluation_.add_round(forest_, pool_);
  has_gradients_ = objective_->source() == JointObjective::Source::kComputed;
  in_round_ = false;
}

Tree Trainer::grow_tree(std::size_t output, std::size_t first_row, double learning_rate) {
  grower_.set_min_gain(grow_.split.min_gain * objective_->gain_scale(output));
  grower_.set_max_leaves(tree_sizes_[output].leaves());
  const std::uint64_t place = tree_place(seed_, forest_.trees.size() / n_outputs());
  const Gradients all = gradients_of(output);
  const Gradients gradients = rows_.draw(all, place);
  const Skeleton& skeleton = grower_.grow(gradients, first_row, place);
  Tree tree =
      leaf_models_.fit(skeleton, gradients, grower_.order(), renewal_of(output), slopes_[output]);
  const double part = step_sizes_[output].part(learning_rate, forest_.trees.size() / n_outputs());
  const double factor = part * learning_rate * objective_->unit(output);
  const std::span<double> scores =
      std::span(scores_).subspan(output * dataset_.n_rows(), dataset_.n_rows());
  // All trees of a round are grown on the gradients with which it began: they change with the last.
  const bool last = output + 1 == n_outputs();
  const bool at_once = last && !objective_->adapts();
  const Judgement judgement = leaf_models_.add_outputs(
      tree, factor, scores, judges_ ? &all : nullptr, [&](std::size_t begin, std::size_t end) {
        if (at_once) update_gradients(begin, end);
      });
  if (judges_) {
    tree_sizes_[output].learn(judgement.late_splits);
    step_sizes_[output].learn(judgement.tree);
    slopes_[output].unknown += judgement.slopes;
  }
  if (last && !at_once) update_gradients();
  scale_outputs(tree, factor);
  return tree;
}

void Trainer::start_scores() {
  const std::size_t n_rows = dataset_.n_rows();
  const std::span<const double> given = dataset_.initial_scores();
  if (!given.empty() && given.size() != n_rows * n_outputs()) {
    throw InvalidInput("init_score must have " + std::to_string(n_outputs()) +
                       " columns, one for each output, got " +
                       std::to_string(given.size() / n_rows) + ".");
  }
  scores_.assign(given.begin(), given.end());
  if (!given.empty()) return;
  for (const double base : forest_.base_score) scores_.insert(scores_.end(), n_rows, base);
}

void Trainer::update_gradients(std::size_t begin, std::size_t end) {
  objective_->gradients(scores_, begin, end, g_.data(), h_.data());
}

void Trainer::update_gradients() {
  objective_->adapt(scores_, pool_);
  pool_.run_range(dataset_.n_rows(), kGrain,
                  [this](std::size_t begin, std::size_t end) { update_gradients(begin, end); });
  has_gradients_ = objective_->source() == JointObjective::Source::kComputed;
}

void Trainer::set_gradients(std::span<const double> g, std::span<const double> h) {
  if (objective_->source() != JointObjective::Source::kGiven) {
    throw InvalidInput("gradients can only be given for a custom loss.");
  }
  if (g.size() != g_.size() || h.size() != h_.size()) {
    throw InvalidInput("a loss must return " + std::to_string(g_.size()) + " gradients and " +
                       "hessians, got " + std::to_string(g.size()) + " and " +
                       std::to_string(h.size()) + ".");
  }
  has_gradients_ = false;
  const std::span<const double> weights = dataset_.weights();
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i % dataset_.n_rows()];
    g_[i] = checked_derivative("gradient", g[i], weight);
    h_[i] = checked_derivative("hessian", h[i], weight);
    if (h_[i] < 0.0F) {
      throw InvalidInput("the hessian of a loss must not be negative, got " + shown(h[i]) + ".");
    }
  }
  has_gradients_ = true;
}

std::optional<LeafRenewal> Trainer::renewal_of(std::size_t output) const {
  const Objective* objective = objective_->single(output);
  if (objective == nullptr) return std::nullopt;
  const std::optional<Renewal> renewal = objective->renewal();
  if (!renewal) return std::nullopt;
  const std::size_t n_rows = dataset_.n_rows();
  return LeafRenewal{.level = renewal->level,
                     .targets = renewal->targets,
                     .scores = std::span(scores_).subspan(output * n_rows, n_rows),
                     .weights = renewal->weights,
                     .unit = objective->unit()};
}

Gradients Trainer::gradients_of(std::size_t output) const {
  const std::size_t n_rows = dataset_.n_rows();
  const std::span<const float> h = std::span(h_);
  return {std::span(g_).subspan(output * n_rows, n_rows),
          h.empty() ? h : h.subspan(output * n_rows, n_rows),
          {},
          {}};
}

void Trainer::check_usable() const {
  if (in_round_) {
    throw std::runtime_error(
        "this training was stopped in the middle of a round and cannot go on. Start another one, "
        "or restore a state of it.");
  }
}

TrainerState Trainer::state() const {
  check_usable();
  TrainerState state{forest_, scores_, random_.state(), {}, slopes_, {}};
  for (const TreeSize& size : tree_sizes_) state.tree_sizes.push_back(size.state());
  for (const StepSize& size : step_sizes_) state.steps.push_back(size.state());
  return state;
}

void Trainer::restore(TrainerState state) {
  if (state.scores.size() != scores_.size() || state.tree_sizes.size() != n_outputs() ||
      state.slopes.size() != n_outputs() || state.steps.size() != n_outputs() ||
      state.forest.base_score != forest_.base_score || !fits(state.forest)) {
    throw InvalidInput("the state was saved by a training on other data or loss.");
  }
  for (const double score : state.scores) {
    if (!std::isfinite(score)) throw InvalidInput("a score of the state is not finite.");
  }
  std::vector<Confirmation> splits;
  for (const TreeSize::State& size : state.tree_sizes) splits.push_back(size.splits);
  check_confirmations("splits", splits);
  for (const SlopeRecord& of_output : state.slopes) {
    check_confirmations("slopes", {{of_output.left_out, of_output.unknown}});
  }
  check_confirmations("steps", state.steps);
  for (std::size_t output = 0; output < n_outputs(); ++output) {
    tree_sizes_[output].restore(state.tree_sizes[output]);
    step_sizes_[output].restore(state.steps[output]);
  }
  slopes_ = std::move(state.slopes);
  forest_ = std::move(state.forest);
  scores_ = std::move(state.scores);
  random_ = Random(state.random);
  evaluation_.start(forest_, pool_);
  update_gradients();
  in_round_ = false;
}

void Trainer::extend(Forest forest) {
  check_usable();
  if (!forest_.trees.empty() || dataset_.initial_scores().empty() || !fits(forest)) {
    throw InvalidInput(
        "a model can be continued only from the start, on data made for it, with its loss and its "
        "extrapolation.");
  }
  forest_ = std::move(forest);
  evaluation_.start(forest_, pool_);
  if (forest_.trees.empty()) return;
  const std::vector<std::size_t> sizes = latest_sizes(forest_);
  for (std::size_t output = 0; output < n_outputs(); ++output) {
    tree_sizes_[output].go_on_from(sizes[output]);
  }
}

bool Trainer::fits(const Forest& forest) const {
  return forest.loss == forest_.loss && forest.n_outputs() == n_outputs() &&
         forest.features == forest_.features;
}

}  // namespace plboost
