"""Growing one tree, best leaf first (docs/algorithm.md, section 5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import constraints
from .binning import Bins
from .linear import LEAF, Column, Rows, fit, moments
from .options import Options
from .problem import NodeState, Problem, Renewal, make_problem, root_state
from .split import Cut, best_candidate, child_state, feature_column, goes_left, linear_part
from .weighted import Array, weighted_quantile

__all__ = ["LeafModel", "Node", "Options", "Tree", "grow_tree", "tree_output"]


@dataclass(frozen=True, eq=False)
class LeafModel:
    """output = clamp(intercept + sum_j slopes_j u_j, low, high), u standardised."""

    regressors: tuple[int, ...]
    slopes: Array
    intercept: float
    low: float
    high: float


@dataclass(eq=False)
class Node:
    id: int
    weight: float
    # Row indices in ascending order, or None where the program that grew the tree keeps none.
    rows: Rows | None
    feature: int = -1  # -1: a leaf
    threshold: Cut = -1  # rows with code <= threshold, or in it, go left
    missing_left: bool = False
    left: int = -1
    right: int = -1
    gain: float = 0.0
    order: int = 0  # of the outputs on the sides of the split
    leaf: LeafModel | None = None


@dataclass(eq=False)
class Tree:
    nodes: list[Node] = field(default_factory=list)


def grow_tree(
    bins: Sequence[Bins],
    codes: NDArray[np.int64],
    g: ArrayLike,
    h: ArrayLike,
    w: ArrayLike,
    options: Options,
    renewal: Renewal | None = None,
    *,
    columns: Mapping[str, Collection[int]] | None = None,
) -> Tree:
    problem = make_problem(bins, codes, g, h, w, options, renewal, columns=columns)
    tree = Tree()
    states: list[NodeState] = []
    depths: list[int] = []

    def add(state: NodeState, depth: int) -> int:
        node = Node(len(tree.nodes), float(np.sum(problem.w[state.rows])), state.rows)
        tree.nodes.append(node)
        states.append(state)
        depths.append(depth)
        return node.id

    frontier = [add(root_state(problem), 0)]
    best = {0: best_candidate(problem, states[0])}
    while len(frontier) < options.max_leaves:
        chosen = -1
        chosen_gain = -np.inf
        for leaf in frontier:
            candidate = best[leaf]
            deep = options.max_depth is not None and depths[leaf] >= options.max_depth
            if candidate is not None and not deep and candidate.gain > chosen_gain:
                chosen, chosen_gain = leaf, candidate.gain
        split = best.get(chosen)
        if split is None:
            break
        node, state = tree.nodes[chosen], states[chosen]
        node.feature, node.threshold = split.feature, split.threshold
        node.missing_left, node.gain = split.missing_left, split.gain
        node.order = split.order
        children = []
        bounds = constraints.child_bounds(state.bounds, split.bound, split.order)
        parts = ((split.left_rows, split.left, "L"), (split.right_rows, split.right, "R"))
        for (rows, child, side), within in zip(parts, bounds, strict=True):
            new = child_state(problem, state, split.feature, rows, child, split.redundant)
            new = replace(new, place=state.place + side, bounds=within)
            children.append(add(new, depths[chosen] + 1))
            best[children[-1]] = best_candidate(problem, new)
        node.left, node.right = children
        frontier.remove(chosen)
        frontier += children
    for leaf in frontier:
        tree.nodes[leaf].leaf = fit_leaf(problem, states[leaf])
    if any(options.monotonic_cst):
        bound_leaves(problem, tree)
    return tree


def bound_leaves(problem: Problem, tree: Tree) -> None:
    """Clip the range of every leaf so that cuts of monotone features part the outputs."""
    outputs: dict[int, constraints.Outputs] = {}
    for node in reversed(tree.nodes):
        if node.leaf is not None:
            outputs[node.id] = leaf_outputs(problem, node.rows, node.leaf)
        else:
            outputs[node.id] = constraints.together(outputs[node.left], outputs[node.right])
    bounds = {0: constraints.UNBOUNDED}
    for node in tree.nodes:
        within = bounds[node.id]
        if node.leaf is not None:
            low, high = (constraints.clip(v, within) for v in (node.leaf.low, node.leaf.high))
            node.leaf = replace(node.leaf, low=low, high=high)
            continue
        bound = constraints.dividing_bound(outputs[node.left], outputs[node.right], within)
        bounds[node.left], bounds[node.right] = constraints.child_bounds(within, bound, node.order)


def leaf_outputs(problem: Problem, rows: Rows | None, model: LeafModel) -> constraints.Outputs:
    assert rows is not None
    h = problem.h[rows]
    line = model.intercept + problem.u[rows][:, list(model.regressors)] @ model.slopes
    mean = float(np.average(line, weights=h))
    deviation = float(np.sqrt(np.average((line - mean) ** 2, weights=h)))
    return constraints.Outputs(float(np.sum(h)), mean, deviation)


def leaf_columns(problem: Problem, state: NodeState) -> list[Column]:
    if problem.options.refit_leaves or problem.options.fitting == "fully_corrective":
        return [feature_column(problem, feature) for feature in state.regressors]
    return [linear_part(problem, state)] if state.regressors else []


def fit_leaf(problem: Problem, state: NodeState) -> LeafModel:
    columns = leaf_columns(problem, state)
    centres = np.zeros(len(columns))  # leaf fits look at no node around them
    sums = moments(columns, problem.g, problem.h, state.rows, centres)
    if problem.options.refit_leaves or problem.options.fitting == "fully_corrective":
        signs = constraints.signs_of_features(problem, state.regressors)
    else:
        signs = constraints.signs_of_path(problem, state, None)
    fitted = constraints.signed_fit(sums, columns, problem.penalty, LEAF, signs)
    return leaf_model(problem, state, fitted.mean, fitted.slopes)


# A row that its own slopes follow wholly would say nothing of them.
LEAST_REST = 0.01


def believed_part(
    problem: Problem, state: NodeState, mean: float, slopes: Array, means: Array
) -> float:
    """Return the part of the slopes that says best what the rows have that are left out."""
    options = problem.options
    g, h, w = problem.g[state.rows], problem.h[state.rows], problem.w[state.rows]
    if options.slope_shrinkage == 0.0 or options.penalty == "paper" or not np.sum(h) > 0.0:
        return 1.0
    deviations = problem.u[state.rows][:, list(state.regressors)] - means
    columns = [feature_column(problem, feature) for feature in state.regressors]
    sums = moments(columns, problem.g, problem.h, state.rows, np.zeros(len(columns)))
    zero = frozenset(int(j) for j in np.flatnonzero(slopes == 0.0))
    kept = np.array(fit(sums, columns, problem.penalty, LEAF, zero).kept, dtype=bool)
    x = deviations[:, kept]
    a = x.T @ (h[:, None] * x) + options.l2_slopes * np.eye(x.shape[1])
    leverage = np.sum(x * np.linalg.solve(a, x.T).T, axis=1) / w
    outputs = deviations @ slopes
    pull = -(g + h * mean)
    change = leverage * (pull - h * outputs) / np.maximum(1 - leverage * h, LEAST_REST)
    left_out = outputs - options.slope_shrinkage * change
    said = float(h @ left_out**2)
    return float(np.clip(pull @ left_out / said, 0.0, 1.0)) if said > 0.0 else 0.0


def leaf_model(problem: Problem, state: NodeState, mean: float, fitted: Array) -> LeafModel:
    """Turn the fitted mean and slopes of `leaf_columns` into a model of the features."""
    if problem.options.refit_leaves or problem.options.fitting == "fully_corrective":
        slopes = fitted
    else:
        slopes = state.slopes * (fitted[0] if state.regressors else 1.0)
    u = problem.u[state.rows][:, list(state.regressors)]
    h = problem.h[state.rows]
    total = float(np.sum(h))
    means = h @ u / total if total > 0.0 else np.zeros(len(slopes))
    slopes = slopes * believed_part(problem, state, mean, slopes, means)
    intercept = float(mean - slopes @ means)
    if problem.renewal is not None:
        left = problem.renewal.residuals[state.rows] - u @ slopes
        weights = problem.renewal.weights[state.rows]
        intercept = weighted_quantile(left, weights, problem.renewal.level)
    low, high = -np.inf, np.inf
    if problem.options.extrapolation == "clamp":
        outputs = intercept + u @ slopes
        low, high = float(np.min(outputs)), float(np.max(outputs))
    return LeafModel(state.regressors, slopes, intercept, low, high)


def tree_output(tree: Tree, bins: Sequence[Bins], codes: NDArray[np.int64]) -> Array:
    """Output of a tree for binned rows, as boosting adds it to the scores of the training rows."""
    output = np.zeros(len(codes))
    for i, row in enumerate(codes):
        node = tree.nodes[0]
        while node.leaf is None:
            code, n_bins = row[node.feature], bins[node.feature].n_bins
            left = goes_left(code, n_bins, node.threshold, node.missing_left)
            node = tree.nodes[node.left if left else node.right]
        u = np.array([bins[j].u[row[j]] for j in node.leaf.regressors])
        value = node.leaf.intercept + float(node.leaf.slopes @ u)
        output[i] = min(max(value, node.leaf.low), node.leaf.high)
    return output
