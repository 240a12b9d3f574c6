"""Which features a node may use, signs of slopes, bounds of outputs (docs/algorithm.md, 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .linear import Column, Dropping, Fit, Moments, Penalty, build_system, fit
from .options import Options
from .weighted import Array

if TYPE_CHECKING:
    from .problem import NodeState, Problem

Bounds = tuple[float, float]
UNBOUNDED: Bounds = (-np.inf, np.inf)
REACH = np.sqrt(3.0)


def may_cut(problem: Problem, state: NodeState, feature: int) -> bool:
    options = problem.options
    if options.split_features and not options.split_features[feature]:
        return False
    if problem.columns is not None and feature not in problem.columns[state.place]:
        return False
    groups = options.interaction_cst
    return not groups or any({*state.path, feature} <= set(group) for group in groups)


def may_regress(problem: Problem, feature: int) -> bool:
    allowed = problem.options.regressor_features
    return problem.bins[feature].can_regress and bool(not allowed or allowed[feature])


def lines_only(problem: Problem) -> tuple[int, ...]:
    """Return the features that are lines of every leaf because no cut can bring them."""
    options = problem.options
    if not options.regressor_features or not options.split_features:
        return ()
    return tuple(
        j
        for j in range(len(problem.bins))
        if may_regress(problem, j) and not options.split_features[j]
    )


def order_of(options: Options, feature: int) -> int:
    return options.monotonic_cst[feature] if options.monotonic_cst else 0


def sign_of(options: Options, feature: int) -> int:
    if options.nonnegative_slopes and options.nonnegative_slopes[feature]:
        return 1
    return order_of(options, feature)


@dataclass(frozen=True, eq=False)
class Signs:
    """What the slopes of some columns are held to, in units of standardised features."""

    signs: tuple[int, ...]
    units: tuple[float, ...]
    # The slope of the last column's feature in one unit of the first column.
    own_slope: float = 0.0

    def violation(self, slopes: Array, j: int) -> float:
        slope = slopes[j]
        if 0 < j == len(self.signs) - 1:
            slope = slope + self.own_slope * slopes[0]
        return float(-self.signs[j] * self.units[j] * slope)


def signs_of_features(problem: Problem, features: Sequence[int]) -> Signs:
    return Signs(tuple(sign_of(problem.options, f) for f in features), (1.0,) * len(features))


def signs_of_path(problem: Problem, state: NodeState, feature: int | None) -> Signs:
    """Return the signs of the columns z and, unless it is None, of the feature."""
    signs, units, own_slope = [], [], 0.0
    if state.regressors:
        signs.append(int(any(sign_of(problem.options, f) for f in state.regressors)))
        units.append(float(np.linalg.norm(state.slopes)))
    if feature is not None:
        signs.append(sign_of(problem.options, feature))
        units.append(1.0)
        if feature in state.regressors:
            own_slope = float(state.slopes[state.regressors.index(feature)])
    return Signs(tuple(signs), tuple(units), own_slope)


def signed_fit(
    sums: Moments, columns: Sequence[Column], penalty: Penalty, dropping: Dropping, signs: Signs
) -> tuple[Fit, frozenset[int]]:
    """Leave out the column whose slope is worst on the wrong side until there is none.

    Returns the columns that were left out, too.
    """
    left_out: set[int] = set()
    while True:
        fitted = fit(sums, columns, penalty, dropping, frozenset(left_out))
        wrong = [
            0.0 if j in left_out or columns[j].fixed else signs.violation(fitted.slopes, j)
            for j in range(len(columns))
        ]
        if not columns or max(wrong) <= 0.0:
            return fitted, frozenset(left_out)
        left_out.add(int(np.argmax(wrong)))


@dataclass(frozen=True)
class Outputs:
    """The outputs of a node in brief."""

    weight: float
    mean: float
    deviation: float


def outputs_of(sums: Moments, fitted: Fit) -> Outputs:
    variance = float(fitted.slopes @ sums.second @ fitted.slopes) / sums.hessian
    return Outputs(sums.hessian, fitted.mean, float(np.sqrt(max(variance, 0.0))))


def clip(value: float, bounds: Bounds) -> float:
    return min(max(value, bounds[0]), bounds[1])


def dividing_bound(one: Outputs, other: Outputs, bounds: Bounds) -> float:
    a, b = clip(one.mean, bounds), clip(other.mean, bounds)
    least = 1e-3 * abs(b - a)
    total = one.deviation + other.deviation + 2 * least
    part = (one.deviation + least) / total if total > 0.0 else 0.5
    return a + part * (b - a)


def child_bounds(bounds: Bounds, bound: float, order: int) -> tuple[Bounds, Bounds]:
    """Return the bounds of the left and of the right child."""
    if order == 0:
        return bounds, bounds
    middle = clip(bound, bounds)
    lower, upper = (bounds[0], middle), (middle, bounds[1])
    return (lower, upper) if order > 0 else (upper, lower)


def limited(
    sums: Moments, columns: Sequence[Column], penalty: Penalty, fitted: Fit, bounds: Bounds
) -> Fit:
    """Return the fit with the loss that it has within bounds."""
    outputs = outputs_of(sums, fitted)
    mean = clip(outputs.mean, bounds)
    room = min(mean - bounds[0], bounds[1] - mean)
    reach = REACH * outputs.deviation
    shrinkage = room / reach if reach > room else 1.0
    x = np.concatenate([[mean], shrinkage * fitted.slopes])
    system = build_system(sums, columns, penalty)
    return replace(fitted, loss=float(x @ system.a @ x / 2 + system.b @ x))


def together(one: Outputs, other: Outputs) -> Outputs:
    weight = one.weight + other.weight
    if weight <= 0.0:
        return Outputs(0.0, (one.mean + other.mean) / 2, 0.0)
    mean = (one.weight * one.mean + other.weight * other.mean) / weight
    variance = (
        sum(o.weight * (o.deviation**2 + (o.mean - mean) ** 2) for o in (one, other)) / weight
    )
    return Outputs(weight, mean, float(np.sqrt(variance)))
