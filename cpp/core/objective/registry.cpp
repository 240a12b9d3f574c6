#include <string>

#include "core/base/error.hpp"
#include "core/objective/absolute_error.hpp"
#include "core/objective/cross_entropy.hpp"
#include "core/objective/gamma.hpp"
#include "core/objective/given_gradients.hpp"
#include "core/objective/huber.hpp"
#include "core/objective/lambdarank.hpp"
#include "core/objective/listnet.hpp"
#include "core/objective/log_loss.hpp"
#include "core/objective/mape.hpp"
#include "core/objective/objective.hpp"
#include "core/objective/poisson.hpp"
#include "core/objective/quantile.hpp"
#include "core/objective/squared_error.hpp"
#include "core/objective/tweedie.hpp"

namespace plboost {

std::span<const Loss* const> losses() {
  static constexpr const Loss* kLosses[] = {&kSquaredError, &kAbsoluteError, &kHuber,   &kQuantile,
                                            &kPoisson,      &kGamma,         &kTweedie, &kMape,
                                            &kLogLoss,      &kCrossEntropy, &kLambdaRank, &kListNet};
  return kLosses;
}

const Loss& find_loss(std::string_view name) {
  if (name == kCustom.name) return kCustom;
  std::string known;
  for (const Loss* loss : losses()) {
    if (loss->name == name) return *loss;
    known += (known.empty() ? "" : ", ") + std::string(loss->name);
  }
  throw InvalidInput("loss must be one of " + known + "; got '" + std::string(name) + "'.");
}

}  // namespace plboost
