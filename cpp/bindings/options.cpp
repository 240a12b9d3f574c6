#include "bindings/options.hpp"

#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "core/base/error.hpp"

namespace plboost::bindings {
namespace {

template <typename Enum>
Enum choose(const char* parameter, const std::string& value,
            std::initializer_list<std::pair<const char*, Enum>> choices) {
  std::string allowed;
  for (const auto& [name, choice] : choices) {
    if (value == name) return choice;
    allowed += (allowed.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  throw InvalidInput(std::string(parameter) + " must be one of " + allowed + "; got '" + value +
                     "'.");
}

// A second line of defence behind the Python layer, whose messages say more.
template <typename Number>
Number at_least(const char* parameter, Number value, Number smallest) {
  if (value >= smallest && std::isfinite(static_cast<double>(value))) return value;
  throw InvalidInput(std::string(parameter) + " must be finite and at least " +
                     shown(static_cast<double>(smallest)) + ", got " +
                     shown(static_cast<double>(value)) + ".");
}

LossParameters loss_parameters(const TrainingOptions& options) {
  for (const double alpha : options.alpha) {
    if (alpha > 0.0 && alpha < 1.0) continue;
    throw InvalidInput("alpha must be above 0 and below 1, got " + shown(alpha) + ".");
  }
  if (options.power && !(*options.power > 1.0 && *options.power < 2.0)) {
    throw InvalidInput("power must be above 1 and below 2, got " + shown(*options.power) + ".");
  }
  LossParameters parameters{.alpha = options.alpha, .power = options.power};
  if (options.truncation_level) {
    if (*options.truncation_level < 1) {
      throw InvalidInput("truncation_level must be at least 1, got " +
                         std::to_string(*options.truncation_level) + ".");
    }
    parameters.truncation_level = static_cast<std::size_t>(*options.truncation_level);
  }
  return parameters;
}

double part(const char* parameter, double value) {
  if (value > 0.0 && value <= 1.0) return value;
  throw InvalidInput(std::string(parameter) + " must be above 0 and at most 1, got " +
                     shown(value) + ".");
}

SplitOptions split_options(const TrainingOptions& given) {
  SplitOptions split;
  split.min_samples_leaf = at_least("min_samples_leaf", given.min_samples_leaf, 0.0);
  split.min_hessian = at_least("min_hessian", given.min_hessian, 0.0);
  split.min_gain = at_least("min_gain", given.min_gain, 0.0);
  split.min_samples_category = at_least("min_samples_category", given.min_samples_category, 0.0);
  split.category_smoothing = at_least("category_smoothing", given.category_smoothing, 0.0);
  split.max_regressors =
      static_cast<std::size_t>(at_least("max_regressors", given.max_regressors, 0));
  split.fitting = choose("fitting", given.fitting,
                         {std::pair{"half_additive", Fitting::kHalfAdditive},
                          std::pair{"additive", Fitting::kAdditive},
                          std::pair{"fully_corrective", Fitting::kFullyCorrective}});
  split.regressors =
      choose("regressors", given.regressors,
             {std::pair{"path", RegressorChoice::kPath}, std::pair{"all", RegressorChoice::kAll}});
  split.repeated =
      choose("repeated", given.repeated,
             {std::pair{"redundant", Repeated::kRedundant}, std::pair{"refit", Repeated::kRefit}});
  return split;
}

}  // namespace

BoostOptions TrainingOptions::parse() const {
  BoostOptions boost;
  boost.loss = loss;
  boost.loss_parameters = loss_parameters(*this);
  boost.metrics = metrics;
  boost.base_score = base_score;
  GrowOptions& grow = boost.grow;
  grow.max_leaves = at_least("max_leaves", max_leaves, 1);
  grow.adapts_leaves = adapts_leaves;
  boost.shortens_steps = shortens_steps;
  boost.lengthens_steps = lengthens_steps;
  grow.max_depth = at_least("max_depth", max_depth, 0);
  boost.seed = seed;
  grow.sample.fraction = part("split_sample", split_sample);
  grow.sample.subsample = part("subsample", subsample);
  boost.rows.method = choose(
      "subsample_method", subsample_method,
      {std::pair{"uniform", SubsampleMethod::kUniform}, std::pair{"goss", SubsampleMethod::kGoss}});
  boost.rows.top_rate = at_least("top_rate", top_rate, 0.0);
  grow.columns = {.by_tree = part("colsample_bytree", colsample_bytree),
                  .by_level = part("colsample_bylevel", colsample_bylevel),
                  .by_node = part("colsample_bynode", colsample_bynode)};
  grow.constraints = {.monotone = monotonic_cst,
                      .nonnegative = nonnegative_slopes,
                      .cuts = split_features,
                      .lines = regressor_features,
                      .groups = interaction_cst};
  grow.sample.max_rows =
      static_cast<std::size_t>(at_least("split_sample_rows", split_sample_rows, std::int64_t{0}));
  grow.leaf_models = refit_leaves ? LeafModels::kRefit : LeafModels::kPath;
  grow.slope_shrinkage = at_least("slope_shrinkage", slope_shrinkage, 0.0);
  grow.mean_shrinkage = at_least("mean_shrinkage", mean_shrinkage, 0.0);
  grow.extrapolation = choose(
      "extrapolation", extrapolation,
      {std::pair{"clamp", Extrapolation::kClamp}, std::pair{"linear", Extrapolation::kLinear}});
  grow.ridge.l2 = at_least("l2", l2, 0.0);
  grow.ridge.l2_slopes = at_least("l2_slopes", l2_slopes, 0.0);
  grow.ridge.penalty =
      choose("penalty", penalty,
             {std::pair{"centred", Penalty::kCentred}, std::pair{"paper", Penalty::kPaper}});
  grow.split = split_options(*this);
  // No parameter: it changes the time of a training, never its result.
  const char* layout = std::getenv("PLBOOST_LAYOUT");
  grow.layout = choose(
      "PLBOOST_LAYOUT", layout == nullptr || *layout == '\0' ? "leaf_order" : layout,
      {std::pair{"leaf_order", Layout::kLeafOrder}, std::pair{"looped_order", Layout::kLoopedOrder},
       std::pair{"row_order", Layout::kRowOrder}});
  return boost;
}

}  // namespace plboost::bindings
