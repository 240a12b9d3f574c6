"""What a node of a given tree may carry, and which gains it may have; see verify.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .categories import order_complaint
from .grow import Node
from .linear import SEARCH, Column, Rows, hessian_means
from .rounding import loss_bounds, study
from .split import (
    Candidate,
    NodeState,
    Problem,
    candidates,
    gain_floor,
    has_missing_rows,
    node_columns,
    order_in,
    split_columns,
)
from .weighted import Array


@dataclass(frozen=True, eq=False)
class Belief:
    """One possibility of what a node carries."""

    state: NodeState
    error: float  # energy of the error of the linear part: sum h (error of z)^2
    slope_errors: Array  # per regressor


@dataclass(eq=False)
class Open:
    """A leaf of the tree so far."""

    id: int
    depth: int
    rows: Rows
    beliefs: list[Belief]
    judged: bool = True
    found: dict[int, list[Candidate]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Judge:
    """Gains of candidates and what rounding may make of them."""

    problem: Problem
    tolerance: float
    noise: float

    def slack(self, values: Array, rows: Rows) -> float:
        """Return what rounding may change in a sum over a part of `rows`: nothing if integers."""
        total = float(np.sum(np.abs(values[rows])))
        whole = bool(np.all(values[rows] == np.round(values[rows]))) and total < 2**24
        return 0.0 if whole else self.noise * total

    def margin(self, candidate: Candidate) -> float:
        sizes = candidate.node.magnitude + candidate.left.magnitude + candidate.right.magnitude
        return self.tolerance * sizes

    def allowed(self, rows: Rows, left: Rows, right: Rows, sign: float) -> bool:
        """Tell whether children are heavy enough: surely (sign -1) or possibly (sign +1)."""
        options = self.problem.options
        weight_slack = sign * self.slack(self.problem.w, rows)
        hessian_slack = sign * self.slack(self.problem.h, rows)
        for part in (left, right):
            hessian = float(np.sum(self.problem.h[part])) + hessian_slack
            if np.sum(self.problem.w[part]) + weight_slack < options.min_samples_leaf:
                return False
            if hessian < options.min_hessian or hessian <= 0.0:
                return False
        return True

    def bounds(self, columns: Sequence[Column], belief: Belief, rows: Rows) -> tuple[float, float]:
        return loss_bounds(
            study(
                columns,
                self.problem.g,
                self.problem.h,
                rows,
                hessian_means(columns, self.problem.h, belief.state.rows),
                self.problem.penalty,
                SEARCH,
                self.noise,
                belief.error,
            )
        )

    def children_bounds(self, belief: Belief, candidate: Candidate) -> tuple[float, float]:
        columns = split_columns(self.problem, belief.state, candidate.feature)
        left = self.bounds(columns, belief, candidate.left_rows)
        right = self.bounds(columns, belief, candidate.right_rows)
        return left[0] + right[0], left[1] + right[1]

    def gain_bounds(self, belief: Belief, candidate: Candidate) -> tuple[float, float]:
        columns = node_columns(self.problem, belief.state)
        node = self.bounds(columns, belief, belief.state.rows)
        children = self.children_bounds(belief, candidate)
        return node[0] - children[1], node[1] - children[0]

    def found(self, leaf: Open, index: int) -> list[Candidate]:
        if index not in leaf.found:
            leaf.found[index] = candidates(self.problem, leaf.beliefs[index].state)
        return leaf.found[index]

    def surely_above(self, leaf: Open, bound: float) -> Candidate | None:
        """Return a valid candidate whose gain exceeds `bound` beyond doubt, under any belief."""
        if not leaf.judged:
            return None
        result: Candidate | None = None
        for index, belief in enumerate(leaf.beliefs):
            result = None
            for candidate in self.found(leaf, index):
                if not candidate.sure:
                    continue
                limit = max(bound, gain_floor(self.problem.options, candidate.node))
                margin = self.margin(candidate)
                if candidate.gain <= limit + margin:
                    continue
                if not self.allowed(
                    leaf.rows, candidate.left_rows, candidate.right_rows, sign=-1.0
                ):
                    continue
                if self.gain_bounds(belief, candidate)[0] > limit + margin:
                    result = candidate
                    break
            if result is None:
                return None
        return result


def judge_order(problem: Problem, state: NodeState, node: Node) -> str | None:
    """Return what is wrong with the set of categories that goes left."""
    if isinstance(node.threshold, int):
        return None
    order = order_in(problem, state, node.feature)
    return order_complaint(order, node.threshold, node.missing_left)


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
    last = bins.n_bins - 1 if missing else bins.n_bins - 2
    assert 0 <= node.threshold <= last, (
        f"node {node.id} has threshold {node.threshold}, allowed are 0 to {last} "
        f"({bins.n_bins} bins, missing rows: {missing})"
    )
    if node.threshold == bins.n_bins - 1:
        assert not node.missing_left, f"node {node.id} sends all values and all missing left"
    return missing
