"""The verifier accepts right trees, also of a noisy program, and refuses wrong ones."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from reference import linear, split
from reference.grow import Node, Options, Tree, grow_tree
from reference.linear import SEARCH, Column, Fit, Moments, Rows
from reference.split import Problem
from reference.tables import Table, random_table
from reference.verify import Report, verify_tree

PLAIN = Options(max_leaves=5, min_samples_leaf=3.0, l2=0.1, l2_slopes=0.1)

SETTINGS = [
    PLAIN,
    replace(PLAIN, repeated="refit", l2_slopes=0.0),
    replace(PLAIN, fitting="additive", repeated="refit", l2_slopes=1e-6),
    replace(PLAIN, fitting="fully_corrective", l2_slopes=0.0),
    replace(PLAIN, fitting="fully_corrective", regressors="all", l2=1.0),
    replace(PLAIN, penalty="paper", refit_leaves=False),
    replace(PLAIN, penalty="paper", fitting="additive", refit_leaves=False, l2=1.0),
    replace(PLAIN, max_regressors=0, max_depth=2, extrapolation="linear"),
]


def grow(table: Table, options: Options) -> Tree:
    return grow_tree(table.bins, table.codes, table.g, table.h, table.w, options)


def verify(tree: Tree, table: Table, options: Options, ties: str = "any") -> Report:
    return verify_tree(tree, table.bins, table.codes, table.g, table.h, table.w, options, ties=ties)


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
@pytest.mark.parametrize("options", SETTINGS)
def test_own_trees_pass_exactly(options: Options, loss: str) -> None:
    for seed in range(2):
        table = random_table(seed, loss=loss)
        tree = grow(table, options)
        report = verify(tree, table, options, ties="first")
        assert report.splits == report.exact == len(tree.nodes) // 2 > 0
        assert report.unjudged == 0


def noisy_fit(amplitude: float, rng: np.random.Generator) -> Callable[..., Fit]:
    """Return a fit for the search whose sums are off as float32 sums are."""

    def sums_of(problem: Problem, columns: Sequence[Column], rows: Rows, around: Rows) -> Moments:
        k = len(columns)
        centres = linear.hessian_means(columns, problem.h, around)
        g, h = problem.g[rows], problem.h[rows]
        t = np.array([c.values[rows] for c in columns]).reshape(k, len(rows)) - centres[:, None]

        def noise(size: np.ndarray) -> np.ndarray:
            return amplitude * rng.uniform(-1, 1, size=size.shape) * size

        gradient = g.sum() + float(noise(np.abs(g).sum(keepdims=True))[0])
        first = t @ h + noise(np.abs(t) @ h)
        squares = (t**2) @ h
        second = (t * h) @ t.T
        off = noise(np.sqrt(np.outer(squares, squares)))
        second = second + (off + off.T) / 2
        by_gradient = t @ g + noise(np.abs(t) @ np.abs(g))
        means = first / h.sum()
        return Moments(
            gradient=float(gradient),
            hessian=float(h.sum()),
            means=means + centres,
            second=second - h.sum() * np.outer(means, means),
            first=by_gradient - means * gradient,
            about_centre=squares,
            raw=squares + h.sum() * centres**2,
        )

    def fit_for_search(
        problem: Problem, columns: Sequence[Column], rows: Rows, node_rows: Rows
    ) -> Fit:
        sums = sums_of(problem, columns, rows, node_rows)
        return linear.fit(sums, columns, problem.penalty, SEARCH)

    return fit_for_search


@pytest.mark.parametrize("options", SETTINGS)
def test_trees_of_a_float32_program_pass(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(4):
        # Odd seeds hold two columns that differ by a thousandth: the near-degenerate pivots.
        table = random_table(seed)
        with monkeypatch.context() as patch:
            fit_for_search = noisy_fit(3e-7, np.random.default_rng(seed))
            patch.setattr(split, "fit_for_search", fit_for_search)
            tree = grow(table, options)
        report = verify(tree, table, options)
        assert report.splits > 0
        assert report.unjudged == 0


def test_gross_noise_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(0)
    monkeypatch.setattr(split, "fit_for_search", noisy_fit(3e-2, np.random.default_rng(0)))
    tree = grow(table, PLAIN)
    monkeypatch.undo()
    with pytest.raises(AssertionError, match="reported gain"):
        verify(tree, table, PLAIN)


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAIN, fitting="additive"),
        replace(PLAIN, fitting="fully_corrective"),
        replace(PLAIN, repeated="refit"),
        replace(PLAIN, penalty="paper"),
        replace(PLAIN, l2=0.2),
        replace(PLAIN, l2_slopes=0.2),
        replace(PLAIN, max_regressors=1),
        replace(PLAIN, max_leaves=6),
        replace(PLAIN, max_leaves=4),
        replace(PLAIN, max_depth=2),
        replace(PLAIN, min_samples_leaf=9.0),
        replace(PLAIN, min_gain=5.0),
        replace(PLAIN, refit_leaves=False),
        replace(PLAIN, extrapolation="linear"),
    ],
)
def test_trees_of_other_options_are_refused(other: Options) -> None:
    table = random_table(10, n_rows=80)
    with pytest.raises(AssertionError):
        verify(grow(table, other), table, PLAIN)


def leaf_of(tree: Tree) -> Node:
    """Return the first leaf with a slope."""
    return next(n for n in tree.nodes if n.leaf is not None and np.any(n.leaf.slopes))


def break_slope(tree: Tree) -> None:
    node = leaf_of(tree)
    assert node.leaf is not None
    node.leaf = replace(node.leaf, slopes=node.leaf.slopes * (1 + 1e-5))


def break_intercept(tree: Tree) -> None:
    node = leaf_of(tree)
    assert node.leaf is not None
    node.leaf = replace(node.leaf, intercept=node.leaf.intercept + 1e-5)


def break_low(tree: Tree) -> None:
    node = leaf_of(tree)
    assert node.leaf is not None
    node.leaf = replace(node.leaf, low=node.leaf.low - 1e-5)


def break_regressors(tree: Tree) -> None:
    node = leaf_of(tree)
    assert node.leaf is not None
    node.leaf = replace(node.leaf, regressors=tuple(2 - j for j in node.leaf.regressors))


def break_threshold(tree: Tree) -> None:
    tree.nodes[0].threshold += 1
    for node in tree.nodes:
        node.rows, node.gain = None, np.nan


def break_missing_side(tree: Tree) -> None:
    tree.nodes[0].missing_left = not tree.nodes[0].missing_left
    for node in tree.nodes:
        node.rows, node.gain = None, np.nan


def break_gain(tree: Tree) -> None:
    tree.nodes[0].gain *= 1.01


def break_weight(tree: Tree) -> None:
    tree.nodes[2].weight += 1.0


def break_rows(tree: Tree) -> None:
    tree.nodes[2].rows = tree.nodes[1].rows


def break_order(tree: Tree) -> None:
    first, second = (n for n in tree.nodes if n.left in (1, 3))
    first.left, second.left = second.left, first.left


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (break_slope, "output|slopes"),
        (break_intercept, "output"),
        (break_low, "low"),
        (break_regressors, "regressors|output"),
        (break_threshold, "was chosen over|below min_samples_leaf|missing_left"),
        (break_missing_side, "was chosen over|missing_left"),
        (break_gain, "reported gain"),
        (break_weight, "weight"),
        (break_rows, "does not hold the rows"),
        (break_order, "must make nodes"),
    ],
)
def test_damaged_trees_are_refused(damage: Callable[[Tree], None], message: str) -> None:
    table = random_table(10, n_rows=80)
    tree = grow(table, PLAIN)
    verify(tree, table, PLAIN)
    damaged = copy.deepcopy(tree)
    damage(damaged)
    with pytest.raises(AssertionError, match=message):
        verify(damaged, table, PLAIN)


def test_second_best_leaf_first_is_refused() -> None:
    # Two leaves are ready after the first split; growing the lesser one first must be noticed.
    table = random_table(10, n_rows=80)
    options = replace(PLAIN, max_regressors=0)
    bigger = grow(table, replace(options, max_leaves=4))
    later = [n for n in bigger.nodes if n.feature >= 0 and n.id in (1, 2)]
    assert len(later) == 2
    tree = grow(table, replace(options, max_leaves=2))
    lesser = min(later, key=lambda node: node.gain)
    wrong = copy.deepcopy(tree)
    parent, source = wrong.nodes[lesser.id], bigger.nodes[lesser.id]
    parent.feature, parent.threshold = source.feature, source.threshold
    parent.missing_left, parent.gain, parent.leaf = source.missing_left, source.gain, None
    parent.left, parent.right = 3, 4
    for new, old in ((3, source.left), (4, source.right)):
        wrong.nodes.append(replace(bigger.nodes[old], id=new, left=-1, right=-1))
    for node in wrong.nodes[3:]:
        assert node.leaf is not None
    with pytest.raises(AssertionError, match="was split although node"):
        verify(wrong, table, replace(options, max_leaves=3))


def test_ties_are_refused_on_request() -> None:
    table = random_table(0, n_features=2)
    doubled = Table(
        [table.bins[0], table.bins[1], table.bins[0]],
        np.column_stack([table.codes, table.codes[:, 0]]),
        table.g,
        table.h,
        table.w,
    )
    tree = grow(doubled, replace(PLAIN, max_leaves=2))
    assert tree.nodes[0].feature == 0
    verify(tree, doubled, replace(PLAIN, max_leaves=2), ties="first")
    for node in tree.nodes:
        node.feature = 2 if node.feature == 0 else node.feature
        if node.leaf is not None:
            node.leaf = replace(node.leaf, regressors=(2,))
    verify(tree, doubled, replace(PLAIN, max_leaves=2))
    with pytest.raises(AssertionError, match="chosen over its equal"):
        verify(tree, doubled, replace(PLAIN, max_leaves=2), ties="first")
