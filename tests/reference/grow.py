"""Growing one tree, best leaf first (docs/algorithm.md, section 5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import constraints
from .binning import Bins
from .drawn_means import Place, drawn_means, draws
from .linear import LEAF, Column, Fit, Rows, fit, moments
from .options import Options
from .problem import NO_SLOPES, Confirmed, NodeState, Problem, Renewal, make_problem, root_state
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
    slopes: Confirmed = NO_SLOPES  # its own and those of the trees before it


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
    slopes_before: Confirmed = NO_SLOPES,
) -> Tree:
    problem = make_problem(
        bins, codes, g, h, w, options, renewal, columns=columns, slopes_before=slopes_before
    )
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
    fit_leaves(problem, tree, states, frontier)
    if any(options.monotonic_cst):
        bound_leaves(problem, tree)
    return tree


def fit_leaves(
    problem: Problem, tree: Tree, all_states: Sequence[NodeState], leaves: Sequence[int]
) -> None:
    states = [all_states[leaf] for leaf in leaves]
    lines = [fit_leaf(problem, state) for state in states]
    said = said_of_slopes(problem, states, lines)
    tree.slopes = together_with(problem.slopes_before, said)
    believed = believed_parts(problem, states, said)
    means = {leaf: line.mean for leaf, line in zip(leaves, lines, strict=True)}
    if draws(problem):
        means = drawn_means(
            problem,
            places(tree),
            dict(enumerate(all_states)),
            dict(zip(leaves, lines, strict=True)),
            {leaf: part.value for leaf, part in zip(leaves, believed, strict=True)},
        )
    for leaf, line, part in zip(leaves, lines, believed, strict=True):
        drawn = replace(line, mean=means[leaf])
        tree.nodes[leaf].leaf = leaf_model(problem, all_states[leaf], drawn, part.value)


def places(tree: Tree) -> list[Place]:
    return [
        Place(node.id, () if node.feature < 0 else (node.left, node.right)) for node in tree.nodes
    ]


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


@dataclass(frozen=True, eq=False)
class Line:
    """What a leaf was fitted to be: m + sum_j slopes_j (u_j - mean of u_j)."""

    mean: float
    slopes: Array
    kept_out: frozenset[int]  # columns whose signs kept them out of the fit


def fit_leaf(problem: Problem, state: NodeState) -> Line:
    columns = leaf_columns(problem, state)
    centres = np.zeros(len(columns))  # leaf fits look at no node around them
    sums = moments(columns, problem.g, problem.h, state.rows, centres)
    if problem.options.refit_leaves or problem.options.fitting == "fully_corrective":
        signs = constraints.signs_of_features(problem, state.regressors)
    else:
        signs = constraints.signs_of_path(problem, state, None)
    return line_of(
        problem, state, *constraints.signed_fit(sums, columns, problem.penalty, LEAF, signs)
    )


def line_of(
    problem: Problem, state: NodeState, fitted: Fit, kept_out: frozenset[int] = frozenset()
) -> Line:
    """Turn a fit of `leaf_columns` into one of the features."""
    if problem.options.refit_leaves or problem.options.fitting == "fully_corrective":
        return Line(fitted.mean, fitted.slopes, kept_out)
    scale = fitted.slopes[0] if state.regressors else 1.0
    of_path = frozenset(range(len(state.slopes))) if kept_out else frozenset()
    return Line(fitted.mean, state.slopes * scale, of_path)


def regressor_values(problem: Problem, state: NodeState) -> tuple[Array, Array]:
    """Return the values of the leaf's regressors and their means."""
    u = problem.u[state.rows][:, list(state.regressors)]
    h = problem.h[state.rows]
    total = float(np.sum(h))
    return u, h @ u / total if total > 0.0 else np.zeros(u.shape[1])


# A row that its own slopes follow wholly would say nothing of them.
LEAST_REST = 0.01


@dataclass(frozen=True, eq=False)
class LeftOut:
    """How well slopes tell rows that are left out of their fit, and how much they say of them.

    The reach is how far the sums move, relative to a rounding error, when all that they are made of
    is off by it.
    """

    agreement: float = 0.0
    size: float = 0.0
    agreement_reach: float = 0.0
    size_reach: float = 0.0


def left_out(problem: Problem, state: NodeState, line: Line) -> LeftOut:
    g, h, w = problem.g[state.rows], problem.h[state.rows], problem.w[state.rows]
    if not np.sum(h) > 0.0:
        return LeftOut()
    u, means = regressor_values(problem, state)
    columns = [feature_column(problem, feature) for feature in state.regressors]
    sums = moments(columns, problem.g, problem.h, state.rows, np.zeros(len(columns)))
    kept = np.array(fit(sums, columns, problem.penalty, LEAF, line.kept_out).kept, dtype=bool)
    x = (u - means)[:, kept]
    a = x.T @ (h[:, None] * x) + problem.options.l2_slopes * np.eye(x.shape[1])
    leverage = np.sum(x * np.linalg.solve(a, x.T).T, axis=1) / w
    outputs = (u - means) @ line.slopes
    pull = -(g + h * line.mean)
    rest = np.maximum(1 - leverage * h, LEAST_REST)
    change = leverage * (pull - h * outputs) / rest
    said = outputs - change
    reach = np.abs(u - means) @ np.abs(line.slopes) + np.abs(change) * (1 + leverage * h / rest)
    return LeftOut(
        float(pull @ said),
        float(h @ said**2),
        float(np.abs(pull) @ reach),
        float(2 * h @ (np.abs(said) * reach)),
    )


# However little of the slopes of a tree, or of all trees, is confirmed.
LEAST_CONFIRMED = 0.05
# With which doubts count twice.
FEW_ROWS = 500.0


@dataclass(frozen=True)
class Part:
    """What a leaf keeps of its slopes, and how far rounding errors move that: see LeftOut."""

    value: float
    reach: float = 0.0


def shrinks(options: Options) -> bool:
    return options.slope_shrinkage > 0.0 and options.penalty != "paper"


def said_of_slopes(
    problem: Problem, states: Sequence[NodeState], lines: Sequence[Line]
) -> list[LeftOut]:
    """Judge the slopes of each leaf, if anybody asks."""
    if not shrinks(problem.options):
        return [LeftOut()] * len(lines)
    return [left_out(problem, *leaf) for leaf in zip(states, lines, strict=True)]


def together_with(before: Confirmed, leaves: Sequence[LeftOut]) -> Confirmed:
    """Add what is said of the slopes of a tree to what was said of those before it."""
    return Confirmed(
        before.agreement + sum(leaf.agreement for leaf in leaves),
        before.size + sum(leaf.size for leaf in leaves),
    )


def believed_parts(
    problem: Problem, states: Sequence[NodeState], each: Sequence[LeftOut]
) -> list[Part]:
    options = problem.options
    n = len(each)
    if not shrinks(options):
        return [Part(1.0)] * n
    mean = LeftOut(*(np.mean([astuple(leaf) for leaf in each], axis=0)))
    if not mean.size > 0.0:
        return [Part(0.0)] * n
    of_tree = float(np.clip(mean.agreement / mean.size, LEAST_CONFIRMED, 1.0))
    of_trees = together_with(problem.slopes_before, each)
    of_all = float(np.clip(of_trees.agreement / of_trees.size, LEAST_CONFIRMED, 1.0))
    weight = sum(float(np.sum(problem.w[state.rows])) for state in states)
    doubt = options.slope_shrinkage * (1.0 + FEW_ROWS / weight) / (of_tree * of_all**2)
    tree_reach = (mean.agreement_reach + of_tree * mean.size_reach) / (mean.size * of_tree)
    all_reach = n * (mean.agreement_reach + of_all * mean.size_reach) / (of_trees.size * of_all)
    tree_reach += 2 * all_reach
    parts = []
    for own in each:
        size = own.size + mean.size
        confirmed = (own.agreement + mean.agreement) / size
        reach = own.agreement_reach + mean.agreement_reach
        reach += abs(confirmed) * (own.size_reach + mean.size_reach)
        missing = 1.0 - min(confirmed, 1.0)
        part = max(0.0, 1.0 - doubt * missing)
        parts.append(Part(part, doubt * (reach / size + missing * tree_reach)))
    return parts


def leaf_model(problem: Problem, state: NodeState, line: Line, part: float) -> LeafModel:
    """Return the model of a leaf that keeps a part of its slopes."""
    u, means = regressor_values(problem, state)
    slopes = line.slopes * part
    intercept = float(line.mean - slopes @ means)
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
