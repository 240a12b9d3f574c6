"""The verifier accepts right trees, also of a noisy program, and refuses wrong ones."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.reference import split
from tests.reference.grow import Node, Options, Tree, grow_tree
from tests.reference.noise import noisy_fit
from tests.reference.tables import Table, make_table, random_table
from tests.reference.verify import Report, verify_tree

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
    "change",
    [
        {"fitting": "additive"},
        {"fitting": "fully_corrective"},
        {"repeated": "refit"},
        {"penalty": "paper"},
        {"l2": 0.2},
        {"l2_slopes": 0.2},
        {"max_regressors": 1},
        {"max_leaves": 10},
        {"max_leaves": 8},
        {"max_depth": 2},
        {"min_samples_leaf": 9.0},
        {"min_gain": 5.0},
        {"refit_leaves": False},
        {"extrapolation": "linear"},
    ],
)
def test_trees_of_other_options_are_refused(change: dict[str, object]) -> None:
    table = random_table(10, n_rows=80)
    options = replace(PLAIN, max_leaves=9)  # deep enough for features to repeat
    tree = grow(table, replace(options, **change))  # type: ignore[arg-type]
    for node in tree.nodes:
        node.gain = np.nan  # not reported: the splits and the leaves alone must give it away
    with pytest.raises(AssertionError):
        verify(tree, table, options)


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
    threshold = tree.nodes[0].threshold
    assert isinstance(threshold, int)
    tree.nodes[0].threshold = threshold + 1
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


def test_missing_values_to_come_go_to_the_heavier_child() -> None:
    x = np.arange(12.0)[:, None]
    table = make_table(x, np.where(x[:, 0] < 4.0, 1.0, -2.0 * x[:, 0]))
    options = replace(PLAIN, max_leaves=2)
    tree = grow(table, options)
    assert not tree.nodes[0].missing_left
    verify(tree, table, options)
    tree.nodes[0].missing_left = True
    with pytest.raises(AssertionError, match="has no missing rows of feature 0"):
        verify(tree, table, options)


def test_second_best_leaf_first_is_refused() -> None:
    # Two leaves are ready after the first split; growing the lesser one first must be noticed.
    table = random_table(10, n_rows=80)
    options = replace(PLAIN, max_regressors=0)
    bigger = grow(table, replace(options, max_leaves=8))
    later = [n for n in bigger.nodes[1:3] if n.feature >= 0]
    assert len(later) == 2
    source = min(later, key=lambda node: node.gain)
    wrong = grow(table, replace(options, max_leaves=2))
    model = wrong.nodes[source.id].leaf
    wrong.nodes[source.id] = replace(source, left=3, right=4)
    for new, old in ((3, source.left), (4, source.right)):
        node = bigger.nodes[old]
        wrong.nodes.append(Node(new, node.weight, node.rows, leaf=model))
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
