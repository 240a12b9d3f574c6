#include "bindings/modules.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The compiled core of plboost. Private: use the names of the plboost package.";
  plboost::bindings::bind_dataset(module);
  plboost::bindings::bind_forest(module);
  plboost::bindings::bind_training(module);
  plboost::bindings::bind_stages(module);
  plboost::bindings::bind_micro(module);
}
