#pragma once

#include <memory>
#include <span>

#include "core/objective/joint_objective.hpp"

namespace plboost {

// Several classes, one output each. For targets of one column that number the classes 0, 1, 2, ...;
// null where they are two, which takes one output only.
std::unique_ptr<JointObjective> make_class_softmax(const TargetTable& targets,
                                                   std::span<const double> weights,
                                                   const LossParameters&);

// The same for rows of class probabilities, a column for each class; null for one column.
std::unique_ptr<JointObjective> make_probability_softmax(const TargetTable& targets,
                                                         std::span<const double> weights,
                                                         const LossParameters&);

// Scores of the classes -> their probabilities, in place.
void softmax(std::span<double> row);

}  // namespace plboost
