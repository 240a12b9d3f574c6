"""Training on a problem, and comparing two models that may differ by rounding."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from plboost import Booster, Dataset, train
from plboost.tree import Split, Tree
from tests.problems import FloatArray, Problem

FITTINGS = ("half_additive", "additive", "fully_corrective")
PENALTIES = ("centred", "paper")
SMALL: dict[str, Any] = {
    "n_estimators": 3,
    "learning_rate": 0.5,
    "max_leaves": 5,
    "min_samples_leaf": 3,
}


def fit(
    problem: Problem,
    *,
    n_jobs: int = 1,
    max_bins: int = 255,
    random_state: int = 0,
    feature_names: list[str] | None = None,
    **params: Any,
) -> Booster:
    """Train a small model."""
    dataset = Dataset(
        problem.X,
        problem.y,
        sample_weight=problem.weight,
        max_bins=max_bins,
        random_state=random_state,
        feature_names=feature_names,
        n_jobs=n_jobs,
    )
    with warnings.catch_warnings():
        # Problems of a few light rows are meant.
        warnings.filterwarnings("ignore", message="the sample weights sum to")
        return train({**SMALL, **params}, dataset, n_jobs=n_jobs)


def loss_of(problem: Problem) -> str:
    """Return the loss that the target is made for."""
    return "log_loss" if set(np.unique(problem.y)) <= {0.0, 1.0} else "squared_error"


def raw_scores(booster: Booster, X: FloatArray, n_rounds: int | None = None) -> FloatArray:
    """Predict scores, in numbers that no link has squeezed."""
    return booster.predict(X, raw_score=True, n_rounds=n_rounds, n_jobs=1)


def row_sides(tree: Tree, X: FloatArray, names: list[str]) -> dict[int, NDArray[np.bool_]]:
    """Return for every split which rows go left, among all rows."""
    sides = {}
    for split in tree.splits:
        column = X[:, names.index(split.feature)]
        left = column <= split.threshold
        left[np.isnan(column)] = split.missing == "left"
        sides[split.node] = left
    return sides


def rows_of_nodes(tree: Tree, X: FloatArray, names: list[str]) -> dict[int, NDArray[np.bool_]]:
    """Return for every node which rows come to it."""
    sides = row_sides(tree, X, names)
    rows = {0: np.ones(len(X), dtype=bool)}
    for split in tree.splits:
        rows[split.left] = rows[split.node] & sides[split.node]
        rows[split.right] = rows[split.node] & ~sides[split.node]
    return rows


def splits_in_order(tree: Tree) -> list[Split]:
    """Return the splits in the order in which they were made."""
    return sorted(tree.splits, key=lambda split: split.left)


def is_near_tie(one: Split | None, other: Split | None, slack: float, gain_ratio: float) -> bool:
    """Tell whether rounding may have chosen between two splits, or between one and none."""
    gains = [
        0.0 if one is None else one.gain,
        0.0 if other is None else other.gain / gain_ratio,
    ]
    return abs(gains[0] - gains[1]) <= slack + 1e-4 * max(gains)


def assert_same_model(
    one: Booster,
    one_X: FloatArray,
    other: Booster,
    other_X: FloatArray,
    *,
    weight: float,
    scale: float = 1.0,
    shift: float = 0.0,
    gain_ratio: float = 1.0,
    tolerance: float = 1e-4,
) -> int:
    """Assert that two models part the rows alike and that other = scale * one + shift on them.

    Row i of both matrices is the same row, features go by name. Both models carry float32 rounding
    of their own, so the comparison ends at the first split where the two gains agree within
    rounding (a near tie, rare in problems without ties); up to there everything must be the same.

    `weight` is the total weight of the rows of `one`: the size of a loss. The gains of `other` are
    `gain_ratio` times those of `one`. Returns the number of trees that were compared to the end,
    so that a test can see that it compared something.
    """
    # In units of y a loss is about half the total weight; sums in float32 are good to some 1e-6.
    slack = 1e-5 * weight
    spread = np.std(raw_scores(one, one_X)) + 1e-3
    assert one.n_trees == other.n_trees
    for index in range(one.n_trees):
        trees = one.tree(index), other.tree(index)
        rows = [
            rows_of_nodes(tree, X, booster.feature_names)
            for tree, X, booster in zip(trees, (one_X, other_X), (one, other), strict=True)
        ]
        orders = [splits_in_order(tree) for tree in trees]
        for k in range(max(map(len, orders))):
            a, b = (order[k] if k < len(order) else None for order in orders)
            same = a is not None and b is not None
            same = same and a.feature == b.feature and a.node == b.node
            same = same and np.array_equal(rows[0][a.left], rows[1][b.left])
            if not same:
                assert is_near_tie(a, b, slack, gain_ratio), f"tree {index}, split {k}: {a} and {b}"
                return index
            assert_allclose(b.gain / gain_ratio, a.gain, rtol=1e-3, atol=slack)
        assert_allclose(
            raw_scores(other, other_X, index + 1),
            scale * raw_scores(one, one_X, index + 1) + shift,
            rtol=0,
            atol=tolerance * spread * scale + 1e-12 * abs(shift),
        )
    return one.n_trees
