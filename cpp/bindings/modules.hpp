#pragma once

#include <nanobind/nanobind.h>

namespace plboost::bindings {

// One per file; module.cpp calls them in this order.
void bind_dataset(nanobind::module_& module);
void bind_forest(nanobind::module_& module);
void bind_training(nanobind::module_& module);
void bind_stages(nanobind::module_& module);
void bind_micro(nanobind::module_& module);
// Called by bind_stages, on its submodule.
void bind_kernel_stages(nanobind::module_& stages);
void bind_draw_stages(nanobind::module_& stages);

}  // namespace plboost::bindings
