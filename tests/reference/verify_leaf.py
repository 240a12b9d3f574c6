"""Check the model of one leaf of a given tree; see verify.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import islice

import numpy as np

from .drawn_means import drawn_means, draws
from .grow import (
    LeafModel,
    LeftOut,
    Line,
    Node,
    Part,
    Tree,
    believed_parts,
    leaf_columns,
    leaf_model,
    line_of,
    places,
    regressor_values,
    said_of_slopes,
    shrinks,
    together_with,
)
from .judge import Belief
from .linear import LEAF, build_system, eliminate, keep_rule, moments
from .problem import Confirmed, NodeState, Problem
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


@dataclass(frozen=True, eq=False)
class Outcome:
    """One line that the fit of a leaf may have given, under one belief about its path."""

    belief: Belief
    fitted: Alternative
    line: Line


@dataclass(frozen=True, eq=False)
class Judged:
    """A leaf of the given tree, and all that it may have been fitted to be."""

    node: Node
    outcomes: list[Outcome]


def possible_lines(problem: Problem, node: Node, beliefs: Sequence[Belief], noise: float) -> Judged:
    outcomes: list[Outcome] = []
    refitted = is_refitted(problem)
    for belief in beliefs:
        columns = leaf_columns(problem, belief.state)
        fitting = study(
            columns,
            problem.g,
            problem.h,
            belief.state.rows,
            np.zeros(len(columns)),
            problem.penalty,
            LEAF,
            FLOAT64_NOISE if refitted else noise,
            0.0 if refitted else belief.error,
        )
        for found in islice(alternatives(fitting), MAX_OUTCOMES):
            outcomes.append(Outcome(belief, found, line_of(problem, belief.state, found.fit)))
    return Judged(node, outcomes)


def verify_leaves(
    problem: Problem,
    leaves: Sequence[Judged],
    tree: Tree,
    inner: Mapping[int, Sequence[Belief]],
    *,
    complete: bool,
    tolerance: float,
    slopes: Confirmed | None = None,
) -> tuple[int, int]:
    """Assert that each model is a fit of the leaf's rows, its slopes drawn back as they should be.

    What a leaf keeps of its slopes depends on all leaves, its mean on all nodes. Where some of them
    are not known (`complete` is false) or rounding decides what they were fitted to be, any part of
    the slopes and any mean passes. Returns for how many leaves parts and means were known.
    """
    certain = complete and all(len(leaf.outcomes) == 1 for leaf in leaves)
    parts: list[Part | None] = [None] * len(leaves)
    if certain:
        only = [leaf.outcomes[0] for leaf in leaves]
        states = [outcome.belief.state for outcome in only]
        lines = [outcome.line for outcome in only]
        said = said_of_slopes(problem, states, lines)
        parts = list(believed_parts(problem, states, said))
        if slopes is not None:
            verify_slopes(problem, said, slopes, tolerance)
    means: Mapping[int, Mean] = {}
    if certain and draws(problem):
        means = known_means(problem, tree, inner, leaves, parts, tolerance)
    for leaf, part in zip(leaves, parts, strict=True):
        verify_leaf(problem, leaf, part, means.get(leaf.node.id), tolerance)
    return len(leaves) if certain else 0, len(means)


def verify_slopes(
    problem: Problem, said: Sequence[LeftOut], given: Confirmed, tolerance: float
) -> None:
    """Assert that this is what rows left out say of the slopes of all trees so far."""
    expected = together_with(problem.slopes_before, said)
    reaches = [(leaf.agreement_reach, leaf.size_reach) for leaf in said]
    reach = np.sum(reaches, axis=0) + np.abs(astuple(expected))
    off = np.abs(np.subtract(astuple(given), astuple(expected)))
    # Slopes of nothing but rounding are anything of this size.
    rounding = FLOAT64_NOISE * problem.g @ problem.g / np.mean(problem.h)
    assert (off <= tolerance * reach + rounding).all(), (
        f"slopes so far: expected {expected}, got {given}"
    )


@dataclass(frozen=True)
class Mean:
    """The mean output of a leaf, and how far rounding may move it."""

    value: float
    error: float


# How often all that means depend on is moved by the tolerance, to see how far that moves them, and
# how many times as far they may then be.
MOVES = 6
MOVE_FACTOR = 5.0


def known_means(
    problem: Problem,
    tree: Tree,
    inner: Mapping[int, Sequence[Belief]],
    leaves: Sequence[Judged],
    parts: Sequence[Part | None],
    tolerance: float,
) -> dict[int, Mean]:
    """Return the drawn means of all leaves, or nothing where rounding decides about nodes."""
    regressors = [{belief.state.regressors for belief in beliefs} for beliefs in inner.values()]
    if not is_refitted(problem) or any(len(each) != 1 for each in regressors):
        return {}
    only = {leaf.node.id: leaf.outcomes[0] for leaf in leaves}
    states = {node: beliefs[0].state for node, beliefs in inner.items()}
    states |= {node: outcome.belief.state for node, outcome in only.items()}
    kept = {leaf.node.id: part for leaf, part in zip(leaves, parts, strict=True) if part}
    rng = np.random.default_rng(0)

    def means(size: float) -> dict[int, float]:
        def moved(values: Array) -> Array:
            return np.asarray(values * (1.0 + size * rng.uniform(-1, 1, np.shape(values))))

        return drawn_means(
            replace(problem, g=moved(problem.g), h=moved(problem.h)),
            places(tree),
            states,
            {
                node: replace(outcome.line, mean=float(moved(np.array(outcome.line.mean))))
                for node, outcome in only.items()
            },
            {
                node: float(np.clip(part.value + rng.uniform(-1, 1) * size * part.reach, 0.0, 1.0))
                for node, part in kept.items()
            },
        )

    with np.errstate(all="ignore"):
        expected = means(0.0)
        others = [means(tolerance) for _ in range(MOVES)]
    unit = max(abs(outcome.line.mean) for outcome in only.values())
    unit += 1e-6 * float(np.sum(np.abs(problem.g))) / (float(np.sum(problem.h)) or 1.0)
    return {
        node: Mean(
            value,
            tolerance * unit + MOVE_FACTOR * max(abs(other[node] - value) for other in others),
        )
        for node, value in expected.items()
    }


def verify_leaf(
    problem: Problem, leaf: Judged, part: Part | None, mean: Mean | None, tolerance: float
) -> None:
    """Assert that the model is one of the outcomes."""
    assert leaf.node.leaf is not None
    failures: list[str] = []
    for outcome in leaf.outcomes:
        state = outcome.belief.state
        kept = part or Part(given_part(problem, state, leaf.node.leaf, outcome.line))
        line, off_mean = outcome.line, 0.0
        if draws(problem):
            drawn = mean or Mean(given_mean(problem, state, leaf.node.leaf), 0.0)
            line, off_mean = replace(line, mean=drawn.value), drawn.error
        model = leaf_model(problem, state, line, kept.value)
        allowance = allow(problem, state, model, outcome.fitted.error, tolerance)
        off = min(1.0, tolerance * kept.reach)
        allowance = move_slopes(allowance, problem, state, off * np.abs(outcome.line.slopes))
        allowance = Allowance(
            allowance.outputs + off_mean, allowance.slopes, allowance.intercept + off_mean
        )
        if not is_refitted(problem) and state.regressors:
            allowance = widen(allowance, outcome.belief, outcome.fitted, problem)
        failure = compare(problem, state, leaf.node.leaf, model, allowance)
        if failure is None:
            return
        failures.append(failure)
    raise AssertionError(f"leaf {leaf.node.id}: {failures[0]}")


def is_refitted(problem: Problem) -> bool:
    return problem.options.refit_leaves or problem.options.fitting == "fully_corrective"


def given_part(problem: Problem, state: NodeState, given: LeafModel, line: Line) -> float:
    """Return the part of the fitted slopes that comes nearest to the given ones."""
    if not shrinks(problem.options):
        return 1.0
    u, means = regressor_values(problem, state)
    slopes = dict(zip(given.regressors, given.slopes, strict=True))
    have = np.array([slopes.get(feature, 0.0) for feature in state.regressors])
    if not state.regressors or not np.any(line.slopes):
        return 0.0
    spread = np.sqrt(np.mean((u - means) ** 2, axis=0))
    # By the columns that vary, and where none does by the slopes themselves.
    scale = spread if np.any(spread * line.slopes) else np.ones(len(have))
    fitted = scale * line.slopes
    return float(np.clip((scale * have) @ fitted / (fitted @ fitted), 0.0, 1.0))


def given_mean(problem: Problem, state: NodeState, given: LeafModel) -> float:
    u, h = problem.u[state.rows], problem.h[state.rows]
    outputs = given.intercept + u[:, list(given.regressors)] @ given.slopes
    return float(np.average(outputs, weights=h)) if np.sum(h) > 0.0 else 0.0


def move_slopes(
    allowance: Allowance, problem: Problem, state: NodeState, moves: Array
) -> Allowance:
    """Add what it takes for the slopes to turn by so much around the leaf's mean."""
    u, means = regressor_values(problem, state)
    return Allowance(
        allowance.outputs + np.abs(u - means) @ moves,
        allowance.slopes + moves,
        allowance.intercept + float(np.abs(means) @ moves),
    )


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
