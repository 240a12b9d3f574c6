"""Candidates and what children carry, by hand and against the paper's statements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.reference.cuts import Cut
from tests.reference.grow import Options
from tests.reference.linear import Rows
from tests.reference.split import (
    NodeState,
    Problem,
    best_candidate,
    candidates,
    child_state,
    fit_for_search,
    fit_node,
    is_redundant,
    make_problem,
    root_state,
    split_columns,
    splits_in_order,
)
from tests.reference.tables import Table, make_table, random_table
from tests.reference.weighted import Array

FREE = {"min_samples_leaf": 1.0, "min_hessian": 0.0, "l2": 0.0, "l2_slopes": 0.0}


def cuts(problem: Problem, rows: Rows) -> list[tuple[Cut, bool]]:
    """Thresholds of feature 0 and sides of its missing values, in a node of these rows."""
    state = NodeState(rows, (), np.empty(0))
    return [(cut, missing_left) for cut, missing_left, _ in splits_in_order(problem, state, 0)]


def problem_of(table: Table, **options: object) -> Problem:
    chosen = Options(**{**FREE, **options})  # type: ignore[arg-type]
    return make_problem(table.bins, table.codes, table.g, table.h, table.w, chosen)


def test_constant_split_by_hand() -> None:
    # Eight rows, g = -y (mean 0): the step lies behind x = 2. Left sum g = 3 * 5 = 15 over three
    # rows, right -15 over five: gain = 15^2 / (2 * 3) + 15^2 / (2 * 5) = 60.
    x = np.arange(8.0)[:, None]
    table = make_table(x, np.zeros(8))
    g = np.array([5.0] * 3 + [-3.0] * 5)
    problem = make_problem(
        table.bins,
        table.codes,
        g,
        table.h,
        table.w,
        Options(**{**FREE, "max_regressors": 0}),  # type: ignore[arg-type]
    )
    best = best_candidate(problem, root_state(problem))
    assert best is not None
    assert (best.feature, best.threshold, best.missing_left) == (0, 2, False)
    assert best.gain == pytest.approx(60.0, rel=1e-12)
    assert (best.left.mean, best.right.mean) == (-5.0, 3.0)


def test_missing_rows_are_tried_on_both_sides_and_alone() -> None:
    table = make_table([[0.0], [1.0], [2.0], [np.nan], [np.nan]], [0, 0, 0, 1, 1])
    problem = problem_of(table, max_regressors=0)
    rows = np.arange(5)
    assert cuts(problem, rows) == [
        (0, False),
        (0, True),
        (1, False),
        (1, True),
        (2, False),
    ]
    best = best_candidate(problem, root_state(problem))
    assert best is not None
    assert (best.threshold, best.missing_left, best.left_rows.tolist()) == (2, False, [0, 1, 2])
    # Without missing rows: the heavier child, left when equal.
    assert cuts(problem, np.arange(3)) == [(0, False), (1, True)]
    assert cuts(problem, np.array([0, 1])) == [(0, True), (1, True)]


def test_weights_are_counted_not_rows() -> None:
    table = make_table(np.arange(4.0)[:, None], [0, 1, 0, 1], [1.0, 2.0, 3.0, 1.0])
    problem = problem_of(table, min_samples_leaf=3.0)
    assert [c.threshold for c in candidates(problem, root_state(problem))] == [1]


def test_first_of_equal_candidates_wins() -> None:
    x = np.arange(6.0)
    table = make_table(np.column_stack([x, x]), [0, 0, 0, 1, 1, 1])
    problem = problem_of(table, max_regressors=0)
    best = best_candidate(problem, root_state(problem))
    assert best is not None
    assert best.feature == 0


def test_redundancy_rules() -> None:
    table = make_table([[0.0, 1.0, 1.0], [1.0, 3.0, np.nan], [2.0, 5.0, 1.0]], [0, 1, 2])
    state = NodeState(np.arange(3), (0,), np.ones(1))
    assert is_redundant(problem_of(table), state, 0)
    assert not is_redundant(problem_of(table, repeated="refit"), state, 0)
    assert not is_redundant(problem_of(table), state, 1)
    assert is_redundant(problem_of(table), state, 2)  # one bin
    assert is_redundant(problem_of(table, max_regressors=1), state, 1)
    everything = problem_of(table, fitting="fully_corrective", regressors="all", repeated="refit")
    assert root_state(everything).regressors == (0, 1)
    assert is_redundant(everything, root_state(everything), 0)


def orthogonal_table() -> tuple[Table, Array]:
    # A full factorial design: the three columns are orthogonal and zero-mean, in the whole and,
    # for the columns 0 and 1, in each half of column 2.
    levels = np.array([-3.0, -1.0, 1.0, 3.0])
    x = np.array([[a, b, c] for a in levels for b in levels for c in levels])
    rng = np.random.default_rng(0)
    return make_table(x, x @ [1.0, 2.0, 0.5] + rng.normal(size=64)), x


def losses_of_children(problem: Problem, slopes: Array, rows: Rows) -> tuple[float, NodeState]:
    state = NodeState(np.arange(64), (0,), slopes)
    columns = split_columns(problem, state, 1)
    child = fit_for_search(problem, columns, rows, state.rows)
    return child.loss, child_state(problem, state, 1, rows, child, redundant=False)


def test_three_fittings_agree_on_orthogonal_regressors() -> None:
    # The paper's remark at the end of section 4.2: with orthogonal, zero-mean regressors and
    # squared error. z carries the optimal slope of the node, and here the child is the node.
    table, _ = orthogonal_table()
    rows = np.arange(64, dtype=np.int64)
    g, u = table.g.astype(float), table.bins[0].u[table.codes[:, 0]]
    optimal = np.array([-(g @ u) / (u @ u)])
    results = [
        losses_of_children(problem_of(table, fitting=fitting), optimal, rows)
        for fitting in ("half_additive", "additive", "fully_corrective")
    ]
    for loss, state in results[1:]:
        assert loss == pytest.approx(results[0][0], rel=1e-6)
        assert state.regressors == (0, 1)
        np.testing.assert_allclose(state.slopes, results[0][1].slopes, rtol=1e-5)


def test_half_additive_lies_between_additive_and_fully_corrective() -> None:
    table = random_table(4)
    rows = np.flatnonzero(table.codes[:, 1] < 5)
    found = {}
    for fitting in ("fully_corrective", "half_additive", "additive"):
        problem = problem_of(table, fitting=fitting)
        state = NodeState(np.arange(60), (0, 2), np.array([0.4, 0.9]))
        columns = split_columns(problem, state, 1)
        found[fitting] = fit_for_search(problem, columns, rows, state.rows).loss
    assert found["fully_corrective"] < found["half_additive"] < found["additive"]


def test_slopes_of_children() -> None:
    table = random_table(6)
    rows = np.flatnonzero(table.codes[:, 0] < 6)
    state = NodeState(np.arange(60), (1, 0), np.array([0.5, -0.2]))
    half = problem_of(table, repeated="refit", l2_slopes=0.1)
    child = fit_for_search(half, split_columns(half, state, 0), rows, state.rows)
    new = child_state(half, state, 0, rows, child, redundant=False)
    assert new.regressors == (1, 0)
    expected = child.slopes[0] * np.array([0.5, -0.2]) + np.array([0.0, child.slopes[1]])
    np.testing.assert_array_equal(new.slopes, expected)
    kept = child_state(half, state, 0, rows, child, redundant=True)
    assert kept.slopes is state.slopes


def test_dropped_column_does_not_join_the_regressors() -> None:
    # Behind x = 0 the left child holds one value of the split feature: nothing to regress on.
    table = make_table(np.array([[0.0], [0.0], [1.0], [2.0], [3.0]]), [1, 2, 5, 3, 9])
    problem = problem_of(table)
    split = next(c for c in candidates(problem, root_state(problem)) if c.threshold == 0)
    states = [
        child_state(problem, root_state(problem), 0, rows, child, redundant=False)
        for rows, child in ((split.left_rows, split.left), (split.right_rows, split.right))
    ]
    assert [state.regressors for state in states] == [(), (0,)]


def test_additive_node_counts_its_linear_part() -> None:
    table = random_table(2)
    problem = problem_of(table, fitting="additive", l2_slopes=0.7)
    state = NodeState(np.arange(60), (0,), np.array([0.3]))
    g, h = table.g.astype(float), table.h.astype(float)
    z = 0.3 * table.bins[0].u[table.codes[:, 0]]
    z = z - h @ z / h.sum()
    expected = h @ z**2 / 2 + g @ z - g.sum() ** 2 / (2 * h.sum()) + 0.7 * 0.09 / 2
    assert fit_node(problem, state).loss == pytest.approx(expected, rel=1e-10)


def test_linear_part_under_the_paper_penalty_is_a_raw_column() -> None:
    # In the user's units z is r = sum (a_i / sigma_i) x_i: the node is the ridge of paper Eq. 3
    # with the one regressor r (half-additive), or with r as it is (additive).
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, size=(30, 2)) + np.array([10.0, -4.0])
    plain = make_table(x, rng.normal(size=30))
    # A mean gradient that is not 0, or the sign of the intercept would not matter.
    table = replace(plain, g=plain.g + np.float32(0.8))
    a, sigma = np.array([0.6, -1.1]), np.array([b.sigma for b in table.bins])
    g, h, r = table.g.astype(float), table.h.astype(float), x @ (a / sigma)
    state = NodeState(np.arange(30), (0, 1), a)
    settings = {"penalty": "paper", "l2": 0.7, "l2_slopes": 1.9}

    design = np.column_stack([np.ones(30), r])
    matrix = design.T @ (h[:, None] * design) + np.diag([0.7, 1.9])
    ridge = -(design.T @ g) @ np.linalg.solve(matrix, design.T @ g) / 2
    half = fit_node(problem_of(table, **settings), state)
    assert half.loss == pytest.approx(ridge, rel=1e-6)

    intercept = -np.sum(g + h * r) / (np.sum(h) + 0.7)
    f = intercept + r
    slopes_term = 1.9 * np.sum((a / sigma) ** 2)
    expected = h @ f**2 / 2 + g @ f + (0.7 * intercept**2 + slopes_term) / 2
    additive = fit_node(problem_of(table, fitting="additive", **settings), state)
    assert additive.loss == pytest.approx(expected, rel=1e-6)
