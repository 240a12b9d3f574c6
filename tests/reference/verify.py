"""Check that a tree grown by another program is a correct result of docs/algorithm.md.

The other program sums in float32, so its tree may differ from the reference's own by more than
rounding of numbers: two candidates of nearly equal gain may change places, and everything below
them differs. Hence the given tree is followed, split by split in the order of its node numbers,
and each step is judged from the rows it was made on. What is asserted:

1. the split is the best candidate of its leaf, its children are heavy enough, missing values go
   to the right side, its gain is above the floor;
2. its leaf had the largest gain of the frontier;
3. the children carry the regressors and slopes that the split gives them: these decide the gains
   of the next splits and the regressors of the leaves, where they are seen;
4. growth stopped at max_leaves or when no leaf had a valid candidate;
5. the model of every leaf is the reference's fit of the leaf's rows.

Rounding is allowed for in two ways. `tolerance` is relative to the sizes of the losses a gain is
made of. And a comparison that fails on the reference's float64 gains is repeated with bounds that
follow float32 noise through the elimination (rounding.py), because that noise is multiplied by
the conditioning of the fit.

Near-degenerate columns. A column whose moment or pivot lies within noise of its threshold may be
dropped by one program and kept by the other, and half-additive slopes carry the difference into
every split below. So a node carries a list of alternatives, each with its own regressors, slopes
and the error of its linear part; almost always there is one. A split passes when it is right
under one of them; alternatives that it contradicts are given up. A leaf passes when its model is
right under one of those left. A node with more than MAX_ALTERNATIVES is followed without judging
its gains; the report says how often that happened, so a test can see that it checked something.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .beliefs import child_beliefs
from .binning import Bins
from .categories import order_complaint
from .constraints import may_cut
from .grow import Node, Tree
from .judge import Belief, Judge, Open
from .linear import Rows
from .options import Options
from .problem import NO_SLOPES, Confirmed, NodeState, Problem, Renewal, make_problem, root_state
from .split import (
    Candidate,
    evaluate,
    fit_node,
    gain_floor,
    has_missing_rows,
    order_in,
    partition,
    thresholds,
)
from .verify_leaf import is_refitted, possible_lines, verify_leaves

MAX_ALTERNATIVES = 16


@dataclass
class Report:
    """How much of a tree was checked."""

    splits: int = 0
    exact: int = 0  # splits that are best within `tolerance` by the reference's float64 gains
    unjudged: int = 0  # splits of nodes with too many alternatives
    leaves: int = 0
    parts: int = 0  # leaves of which it is known what they keep of their slopes
    means: int = 0  # leaves of which it is known where their means are drawn


def verify_tree(
    tree: Tree,
    bins: Sequence[Bins],
    codes: NDArray[np.int64],
    g: ArrayLike,
    h: ArrayLike,
    w: ArrayLike,
    options: Options,
    columns: Mapping[str, Collection[int]] | None = None,
    # Gains are differences of losses made of float32 sums (about 1e-7 each, a few hundred terms).
    tolerance: float = 1e-4,
    *,
    # A float32 sum of a few hundred terms is off by sqrt(512) * 2^-24 = 1e-6 of their size; a
    # centred moment is made of three such sums.
    noise: float = 3e-6,
    # Leaf fits are float64; what is left is the order of summation.
    leaf_tolerance: float = 1e-7,
    # "first": among candidates that part the rows alike and bring the same column, the first must
    # have been chosen. Statistics that come by subtraction may miss that by rounding.
    ties: str = "any",
    renewal: Renewal | None = None,
    slopes_before: Confirmed = NO_SLOPES,
    # Of this tree and those before it, if the program that grew it tells.
    slopes: Confirmed | None = None,
) -> Report:
    """Raise AssertionError, saying what differs, unless the tree is right up to rounding."""
    assert not options.has_signs, "signs and bounds are not followed through rounding"
    problem = make_problem(
        bins, codes, g, h, w, options, renewal, columns=columns, slopes_before=slopes_before
    )
    judge = Judge(problem, tolerance, noise)
    inner: dict[int, list[Belief]] = {}
    root = root_state(problem)
    frontier = [Open(0, 0, root.rows, [Belief(root, 0.0, np.zeros(len(root.slopes)))])]
    report = Report()
    for node in split_order(tree):
        assert len(frontier) < options.max_leaves, (
            f"node {node.id} was split although max_leaves={options.max_leaves} was reached"
        )
        leaf = next(entry for entry in frontier if entry.id == node.id)
        check_node(judge, node, leaf)
        report.splits += 1
        gain = check_split(judge, node, leaf, report, ties)
        inner[node.id] = leaf.beliefs
        for rival in frontier:
            if rival is leaf or is_deep(options, rival):
                continue
            better = judge.surely_above(rival, gain)
            assert better is None or not leaf.judged, (
                f"node {node.id} (gain at most {gain}) was split although node {rival.id} had "
                f"{describe(better)}"
            )
        frontier.remove(leaf)
        frontier += children(judge, node, leaf)
    if len(frontier) < options.max_leaves:
        check_stop(judge, frontier)
    report.leaves = len(frontier)
    report.parts, report.means = check_leaves(judge, tree, inner, frontier, leaf_tolerance, slopes)
    return report


def check_leaves(
    judge: Judge,
    tree: Tree,
    inner: Mapping[int, Sequence[Belief]],
    frontier: list[Open],
    leaf_tolerance: float,
    slopes: Confirmed | None,
) -> tuple[int, int]:
    """Check all leaves; return of how many parts of slopes and means are known."""
    problem = judge.problem
    for leaf in frontier:
        check_node(judge, tree.nodes[leaf.id], leaf)
    judged = [
        possible_lines(problem, tree.nodes[leaf.id], leaf.beliefs, judge.noise)
        for leaf in frontier
        if leaf.judged
    ]
    return verify_leaves(
        problem,
        judged,
        tree,
        inner,
        complete=len(judged) == len(frontier),
        tolerance=leaf_tolerance if is_refitted(problem) else judge.tolerance,
        slopes=slopes,
    )


def split_order(tree: Tree) -> list[Node]:
    """Return the inner nodes in the order of their splits, checking the numbering."""
    for index, node in enumerate(tree.nodes):
        assert node.id == index, f"node at position {index} has id {node.id}"
        assert (node.feature < 0) == (node.leaf is not None), (
            f"node {index} must have either a split or a leaf model"
        )
    inner = sorted((node for node in tree.nodes if node.feature >= 0), key=lambda node: node.left)
    assert len(tree.nodes) == 2 * len(inner) + 1, (
        f"{len(inner)} splits make {2 * len(inner) + 1} nodes, got {len(tree.nodes)}"
    )
    for k, node in enumerate(inner, start=1):
        assert (node.left, node.right) == (2 * k - 1, 2 * k), (
            f"split {k} must make nodes {2 * k - 1} and {2 * k}, got {node.left} and {node.right}"
        )
        assert node.id < node.left, f"node {node.id} is split into the older node {node.left}"
    return inner


def is_deep(options: Options, leaf: Open) -> bool:
    return options.max_depth is not None and leaf.depth >= options.max_depth


def check_stop(judge: Judge, frontier: list[Open]) -> None:
    options = judge.problem.options
    for leaf in frontier:
        valid = None if is_deep(options, leaf) else judge.surely_above(leaf, -np.inf)
        assert valid is None, (
            f"growth stopped at {len(frontier)} leaves of {options.max_leaves} although node "
            f"{leaf.id} had {describe(valid)}"
        )


def describe(candidate: Candidate | None) -> str:
    if candidate is None:
        return "no candidate"
    return (
        f"the candidate feature {candidate.feature}, threshold {candidate.threshold}, "
        f"missing_left {candidate.missing_left}, redundant {candidate.redundant}, "
        f"gain {candidate.gain} (losses {candidate.node.loss}, {candidate.left.loss}, "
        f"{candidate.right.loss})"
    )


def check_node(judge: Judge, node: Node, leaf: Open) -> None:
    weight = float(np.sum(judge.problem.w[leaf.rows]))
    slack = judge.slack(judge.problem.w, leaf.rows)
    assert abs(node.weight - weight) <= slack, (
        f"node {node.id} has weight {node.weight}, its rows weigh {weight}"
    )
    assert node.rows is None or np.array_equal(np.sort(node.rows), leaf.rows), (
        f"node {node.id} does not hold the rows that its ancestors' splits send there"
    )


def check_split(judge: Judge, node: Node, leaf: Open, report: Report, ties: str) -> float:
    """Check the split of a leaf; keep the beliefs it agrees with; return its largest gain."""
    problem = judge.problem
    assert not is_deep(problem.options, leaf), (
        f"node {node.id} was split at depth {leaf.depth}, max_depth={problem.options.max_depth}"
    )
    check_form(judge, node, leaf)
    if not leaf.judged:
        report.unjudged += 1
        return np.inf
    failures: list[str] = []
    passed: list[Belief] = []
    largest, exact = -np.inf, False
    for index, belief in enumerate(leaf.beliefs):
        chosen = evaluate(
            problem,
            belief.state,
            fit_node(problem, belief.state),
            node.feature,
            node.threshold,
            node.missing_left,
        )
        found = judge.found(leaf, index)
        bounds = judge.gain_bounds(belief, chosen)
        failure = judge_order(problem, belief.state, node) or judge_gain(
            judge, node, chosen, bounds
        )
        stronger = [] if failure else stronger_candidates(judge, chosen, found)
        if failure is None:
            failure = judge_choice(judge, belief, chosen, stronger)
        if failure is None and ties == "first":
            failure = earlier_equal(problem, leaf.rows, chosen, found)
        if failure is not None:
            failures.append(failure)
            continue
        passed.append(belief)
        exact = exact or not stronger
        largest = max(largest, bounds[1] + judge.margin(chosen))
    assert passed, f"node {node.id}: {failures[0]}"
    leaf.beliefs = passed
    report.exact += exact
    return largest


def judge_order(problem: Problem, state: NodeState, node: Node) -> str | None:
    """Return what is wrong with the set of categories that goes left."""
    if isinstance(node.threshold, int):
        return None
    order = order_in(problem, state, node.feature)
    return order_complaint(order, node.threshold, node.missing_left)


def check_form(judge: Judge, node: Node, leaf: Open) -> None:
    """Check what can be said of a split without its gain."""
    problem = judge.problem
    assert node.feature < len(problem.bins), f"node {node.id} splits feature {node.feature}"
    assert problem.bins[node.feature].usable, (
        f"node {node.id} splits feature {node.feature}, which is not usable"
    )
    assert not leaf.judged or may_cut(problem, leaf.beliefs[0].state, node.feature), (
        f"node {node.id} splits feature {node.feature}, which it may not be cut by"
    )
    missing = check_cut(problem, node, leaf)
    left, right = partition(problem, leaf.rows, node.feature, node.threshold, node.missing_left)
    if not missing:
        weights = float(np.sum(problem.w[left])), float(np.sum(problem.w[right]))
        close = abs(weights[0] - weights[1]) <= 2 * judge.slack(problem.w, leaf.rows)
        unsure = close and weights[0] != weights[1]
        assert unsure or node.missing_left == (weights[0] >= weights[1]), (
            f"node {node.id} has no missing rows of feature {node.feature} and children of weight "
            f"{weights[0]} and {weights[1]}, but missing_left is {node.missing_left}"
        )
    assert judge.allowed(leaf.rows, left, right, sign=1.0), (
        f"node {node.id}: children of weight {np.sum(problem.w[left])} and "
        f"{np.sum(problem.w[right])}, hessian {np.sum(problem.h[left])} and "
        f"{np.sum(problem.h[right])} are below min_samples_leaf="
        f"{problem.options.min_samples_leaf} or min_hessian={problem.options.min_hessian}"
    )


def check_cut(problem: Problem, node: Node, leaf: Open) -> bool:
    """Check the range of a threshold; tell whether rows decided on the side of the missing."""
    bins = problem.bins[node.feature]
    assert bins.categorical == isinstance(node.threshold, frozenset), (
        f"node {node.id} splits feature {node.feature} by {node.threshold}"
    )
    if not isinstance(node.threshold, int):
        rest = [order_in(problem, b.state, node.feature).rest for b in leaf.beliefs]
        return not rest or any(len(rows) for rows in rest)
    missing = has_missing_rows(problem, leaf.rows, node.feature)
    tried = thresholds(problem, leaf.rows, node.feature)
    assert node.threshold in tried or (missing and node.threshold == bins.n_bins - 1), (
        f"node {node.id} has threshold {node.threshold}, allowed are {tried} "
        f"({bins.n_bins} bins, missing rows: {missing})"
    )
    if node.threshold == bins.n_bins - 1:
        assert not node.missing_left, f"node {node.id} sends all values and all missing left"
    return missing


def judge_gain(
    judge: Judge, node: Node, chosen: Candidate, bounds: tuple[float, float]
) -> str | None:
    """Return what is wrong with the gain of the chosen candidate."""
    margin = judge.margin(chosen)
    floor = gain_floor(judge.problem.options, chosen.node)
    if not bounds[1] + margin > floor:
        return f"{describe(chosen)} is not above the floor {floor}"
    if not np.isnan(node.gain) and not bounds[0] - margin <= node.gain <= bounds[1] + margin:
        return f"reported gain {node.gain} is not that of {describe(chosen)}"
    return None


def stronger_candidates(judge: Judge, chosen: Candidate, found: list[Candidate]) -> list[Candidate]:
    margin = judge.margin(chosen)
    return [
        rival
        for rival in found
        if rival.sure and rival.gain > chosen.gain + max(margin, judge.margin(rival))
    ]


def judge_choice(
    judge: Judge, belief: Belief, chosen: Candidate, stronger: list[Candidate]
) -> str | None:
    """Return the candidate that is better than the chosen one beyond doubt."""
    # Both share the loss of the node, so only their children are compared.
    smallest = judge.children_bounds(belief, chosen)[0]
    for rival in stronger:
        margin = max(judge.margin(chosen), judge.margin(rival))
        surely_valid = judge.allowed(
            belief.state.rows, rival.left_rows, rival.right_rows, sign=-1.0
        )
        if surely_valid and judge.children_bounds(belief, rival)[1] < smallest - margin:
            return f"{describe(chosen)} was chosen over {describe(rival)}"
    return None


def earlier_equal(
    problem: Problem, rows: Rows, chosen: Candidate, found: list[Candidate]
) -> str | None:
    """Return a complaint when an equal candidate comes before the chosen one."""
    key = (chosen.feature, chosen.threshold, chosen.missing_left)
    for rival in found:
        if (rival.feature, rival.threshold, rival.missing_left) >= key:
            return None
        same_column = chosen.redundant and rival.redundant
        if not chosen.redundant and not rival.redundant:
            same_column = bool(
                np.array_equal(problem.u[rows, rival.feature], problem.u[rows, chosen.feature])
            )
        if same_column and np.array_equal(rival.left_rows, chosen.left_rows):
            return f"{describe(chosen)} was chosen over its equal {describe(rival)}"
    return None


def children(judge: Judge, node: Node, leaf: Open) -> list[Open]:
    """Return the two new leaves with every possibility of what they carry."""
    problem = judge.problem
    result = []
    parts = partition(problem, leaf.rows, node.feature, node.threshold, node.missing_left)
    for child, rows, side in zip((node.left, node.right), parts, "LR", strict=True):
        beliefs: list[Belief] = []
        for belief in leaf.beliefs:
            place = belief.state.place + side
            for new in child_beliefs(judge, belief, node.feature, rows):
                beliefs.append(replace(new, state=replace(new.state, place=place)))
        judged = leaf.judged and len(beliefs) <= MAX_ALTERNATIVES
        result.append(Open(child, leaf.depth + 1, rows, beliefs if judged else [], judged))
    return result
