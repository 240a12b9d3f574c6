"""Check the model of one leaf of a given tree; see verify.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from .grow import LeafModel, Node, leaf_columns, leaf_model
from .judge import Belief
from .linear import LEAF, build_system, eliminate, keep_rule, moments
from .problem import NodeState, Problem
from .rounding import Alternative, alternatives, study
from .split import feature_column
from .weighted import Array

# Relative error of a float64 sum, whatever its order.
FLOAT64_NOISE = 1e-14
MAX_OUTCOMES = 64


@dataclass(frozen=True, eq=False)
class Allowance:
    """How far a leaf model may be from the reference's."""

    outputs: Array  # per row of the leaf
    slopes: Array  # per regressor
    intercept: float


def verify_leaf(
    problem: Problem,
    node: Node,
    beliefs: Sequence[Belief],
    tolerance: float,
    noise: float,
    leaf_tolerance: float,
) -> None:
    """Assert that the model is the fit of the rows under one of the beliefs."""
    assert node.leaf is not None
    refitted = problem.options.refit_leaves or problem.options.fitting == "fully_corrective"
    failures: list[str] = []
    for belief in beliefs:
        state = belief.state
        columns = leaf_columns(problem, state)
        fitting = study(
            columns,
            problem.g,
            problem.h,
            state.rows,
            np.zeros(len(columns)),
            problem.penalty,
            LEAF,
            FLOAT64_NOISE if refitted else noise,
            0.0 if refitted else belief.error,
        )
        for outcome in islice(alternatives(fitting), MAX_OUTCOMES):
            model = leaf_model(problem, state, outcome.fit.mean, outcome.fit.slopes)
            allowance = allow(
                problem,
                state,
                model,
                outcome.error,
                leaf_tolerance if refitted else tolerance,
            )
            if not refitted and state.regressors:
                allowance = widen(allowance, belief, outcome, problem)
            failure = compare(problem, state, node.leaf, model, allowance)
            if failure is None:
                return
            failures.append(failure)
    raise AssertionError(f"leaf {node.id}: {failures[0]}")


def allow(
    problem: Problem, state: NodeState, model: LeafModel, error: float, tolerance: float
) -> Allowance:
    """Translate an error in energy, sum h (output error)^2, into outputs and slopes.

    Under an energy e a slope moves by at most sqrt(e inv(A)_jj) and an output by at most
    sqrt(e x'inv(A)x): both grow with the conditioning of the leaf's system.
    """
    columns = [feature_column(problem, feature) for feature in state.regressors]
    k = len(columns)
    sums = moments(columns, problem.g, problem.h, state.rows, np.zeros(k))
    u = problem.u[state.rows][:, list(state.regressors)]
    h = problem.h[state.rows]
    outputs = model.intercept + u @ model.slopes
    size = float(np.sum(np.abs(problem.g[state.rows])))
    total = sums.hessian + problem.options.l2
    if total <= 0.0:
        return Allowance(np.zeros(len(u)), np.zeros(k), 0.0)
    # Sums of g that cancel are rounded relative to the size of their terms.
    unit = float(np.max(np.abs(outputs))) + 1e-6 * size / total
    energy = float(h @ outputs**2) + (1e-6 * size) ** 2 / total
    with np.errstate(all="ignore"):
        system = build_system(sums, columns, problem.penalty)
        steps = eliminate(system, keep_rule(sums, system, LEAF))
    kept = [j for j in range(k) if steps.kept[j + 1]]
    inverse = np.zeros((k, k))
    if kept:
        rows = np.array(kept) + 1
        inverse[np.ix_(kept, kept)] = np.linalg.inv(
            system.a[np.ix_(rows, rows)]
            - np.outer(system.a[rows, 0], system.a[rows, 0]) / system.a[0, 0]
        )
    deviations = u - sums.means
    leverage = 1.0 / total + np.einsum("ij,jk,ik->i", deviations, inverse, deviations)
    by_output = tolerance * unit + np.sqrt(error * np.maximum(leverage, 0.0))
    if problem.renewal is not None:
        # Constants are differences of targets and scores, rounded relative to the size of these.
        by_output = by_output + 1e-9 * float(np.max(np.abs(problem.renewal.residuals)))
    reach = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    by_slope = (tolerance * np.sqrt(energy) + np.sqrt(error)) * reach
    by_slope = by_slope + tolerance * np.abs(model.slopes)
    by_intercept = float(
        np.max(by_output)
        + np.sqrt(error / total)
        + tolerance * np.abs(model.slopes) @ np.abs(sums.means)
        + by_slope @ np.abs(sums.means)
    )
    return Allowance(by_output, by_slope, by_intercept)


def widen(
    allowance: Allowance, belief: Belief, outcome: Alternative, problem: Problem
) -> Allowance:
    """Add the errors of the slopes that a leaf without a refit takes over from its ancestors."""
    scale, scale_error = abs(outcome.fit.slopes[0]), outcome.slope_errors[0]
    more = np.array(
        [
            (scale * error if scale else 0.0) + (scale_error * abs(slope) if slope else 0.0)
            for error, slope in zip(belief.slope_errors, belief.state.slopes, strict=True)
        ]
    )
    u = problem.u[belief.state.rows][:, list(belief.state.regressors)]
    largest = np.abs(u).max(axis=0)
    shift = sum(m * x for m, x in zip(more, largest, strict=True) if x > 0.0)
    return Allowance(allowance.outputs, allowance.slopes + more, float(allowance.intercept + shift))


def compare(
    problem: Problem,
    state: NodeState,
    given: LeafModel,
    expected: LeafModel,
    allowance: Allowance,
) -> str | None:
    """Return what differs, or None."""
    # A dropped regressor may be listed with slope 0 or not at all.
    names = tuple(f for f, s in zip(given.regressors, given.slopes, strict=True) if s != 0.0)
    known = tuple(f for f in expected.regressors if f in names)
    if names != known:
        return f"regressors {given.regressors} instead of {expected.regressors}"
    slopes = dict(zip(given.regressors, given.slopes, strict=True))
    of_given = np.array([slopes.get(feature, 0.0) for feature in expected.regressors])
    u = problem.u[state.rows][:, list(expected.regressors)]
    outputs = given.intercept + u @ of_given
    wanted = expected.intercept + u @ expected.slopes
    excess = np.abs(outputs - wanted) - allowance.outputs
    if not np.all(excess <= 0.0):
        worst = int(np.nanargmax(excess))
        return (
            f"output {outputs[worst]} instead of {wanted[worst]} on row {state.rows[worst]} "
            f"(allowed difference {allowance.outputs[worst]})"
        )
    if not np.all(np.abs(of_given - expected.slopes) <= allowance.slopes):
        return (
            f"slopes {of_given} instead of {expected.slopes} of {expected.regressors} "
            f"(allowed differences {allowance.slopes})"
        )
    if not abs(given.intercept - expected.intercept) <= allowance.intercept:
        return (
            f"intercept {given.intercept} instead of {expected.intercept} "
            f"(allowed difference {allowance.intercept})"
        )
    limit = float(np.max(allowance.outputs))
    for name in ("low", "high"):
        got, want = getattr(given, name), getattr(expected, name)
        if not (got == want or abs(got - want) <= limit):
            return f"{name} {got} instead of {want} (allowed difference {limit})"
    return None
