"""Which splits bring a column, seen in the gains and in the regressors of the leaves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost._core import stages
from tests.problems import STEADY, small_problems
from tests.unit.core.grown import dataset, grow

FITTINGS = ("half_additive", "additive", "fully_corrective")
# Three lines over one feature; the second split can only be on that feature again.
X3 = np.arange(18.0)
Y3 = np.concatenate([2 * np.arange(6.0), 40 - 5 * np.arange(6.0), -30 + np.arange(6.0) ** 2])


def loss(columns, g, ridge=()):
    """L of docs/algorithm.md section 3 with h = 1 and l2 = 0: centred columns, given ridges."""
    result = -(np.sum(g) ** 2) / (2 * len(g))
    if columns:
        t = np.column_stack(columns)
        t = t - t.mean(axis=0)
        matrix = t.T @ t + np.diag(ridge or [0.0] * len(columns))
        c = t.T @ g
        result -= c @ np.linalg.pinv(matrix, rcond=1e-9, hermitian=True) @ c / 2
    return result


def second_split(**values):
    """Return the tree, u of the node that is split second, its g, and its children's masks."""
    tree = grow(X3, -Y3, max_leaves=3, **values)
    node = 1 if tree.feature[1] >= 0 else 2
    right = X3 > tree.threshold[0]
    own = right if node == 2 else ~right
    bins = stages.dataset_bins(dataset(X3), 0)
    u = np.array(bins.values[:18], dtype=float)
    return tree, node, u[own], -Y3[own], X3[own] > tree.threshold[node]


def test_additive_redundant_split_keeps_the_slope_and_refits_the_mean():
    tree, node, u, g, right = second_split(fitting="additive", max_regressors=1)
    assert tree.feature[node] == 0
    # z is the line of the node's own rows: the root's split fitted it there, without a ridge.
    slope = -np.dot(u - u.mean(), g) / np.sum((u - u.mean()) ** 2)
    z = slope * (u - u.mean())

    def fixed(mask):
        centred = z[mask] - z[mask].mean()
        return loss([], g[mask]) + np.sum(centred**2) / 2 + np.dot(centred, g[mask])

    everything = np.ones(len(g), dtype=bool)
    expected = fixed(everything) - fixed(right) - fixed(~right)
    assert tree.gain[node] == pytest.approx(expected, rel=1e-4)


def test_additive_refit_split_brings_the_column_again():
    tree, node, u, g, right = second_split(fitting="additive", max_regressors=1, repeated="refit")
    # z with slope 1 plus u with a free slope: any line.
    expected = loss([u], g) - loss([u[right]], g[right]) - loss([u[~right]], g[~right])
    assert tree.gain[node] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("repeated", ["redundant", "refit"])
def test_half_additive_split_scales_the_slope(repeated):
    ridge = 3.0
    tree, node, u, g, right = second_split(
        fitting="half_additive", max_regressors=1, repeated=repeated, l2_slopes=ridge
    )
    slope = -np.dot(u - u.mean(), g) / (np.sum((u - u.mean()) ** 2) + ridge)
    z = slope * u

    def judged(mask, *, with_column):
        columns, ridges = [z[mask]], [ridge * slope**2]
        if with_column:
            columns, ridges = [*columns, u[mask]], [*ridges, ridge]
        return loss(columns, g[mask], ridges)

    everything = np.ones(len(g), dtype=bool)
    again = repeated == "refit"
    expected = judged(everything, with_column=False)
    expected -= judged(right, with_column=again) + judged(~right, with_column=again)
    assert tree.gain[node] == pytest.approx(expected, rel=1e-4)


def test_repeated_feature_is_one_regressor():
    for repeated in ("redundant", "refit"):
        for fitting in FITTINGS:
            tree = grow(
                X3,
                -Y3,
                max_leaves=3,
                repeated=repeated,
                fitting=fitting,
                l2_slopes=0.1,
                slope_shrinkage=0.0,
            )
            assert [list(line.slopes) for line in tree.leaves] == [[0]] * 3


@settings(STEADY, max_examples=80)
@given(
    problem=small_problems(min_rows=8, weights=["none"]),
    max_regressors=st.integers(0, 4),
    fitting=st.sampled_from(FITTINGS),
    repeated=st.sampled_from(["redundant", "refit"]),
    refit_leaves=st.booleans(),
)
def test_regressors_of_a_leaf_are_split_features_of_its_path(
    problem, max_regressors, fitting, repeated, refit_leaves
):
    tree = grow(
        problem.X,
        problem.y.mean() - problem.y,
        max_leaves=8,
        max_regressors=max_regressors,
        fitting=fitting,
        repeated=repeated,
        refit_leaves=refit_leaves,
        l2=0.1,
        l2_slopes=0.1,
    )
    paths: dict[int, set[int]] = {0: set()}
    for node, feature in enumerate(tree.feature):
        if feature >= 0:
            for child in (tree.left[node], tree.left[node] + 1):
                paths[child] = paths[node] | {feature}
    data = dataset(problem.X)
    leaves = [node for node, feature in enumerate(tree.feature) if feature < 0]
    for node, line in zip(leaves, tree.leaves, strict=True):
        assert len(line.slopes) <= max_regressors
        assert set(line.slopes) <= paths[node]
        assert all(stages.dataset_bins(data, feature).can_regress for feature in line.slopes)


def test_split_beyond_max_regressors_is_judged_without_its_column():
    # Feature 0 carries a step and a slope; feature 1 then bends the left half.
    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, 30.0, 4 * np.abs(X[:, 1])) + X[:, 0]
    tree = grow(X, -y, max_leaves=3, max_regressors=1)
    assert tree.feature[:2] == [0, 1]
    own = X[:, 0] <= tree.threshold[0]
    right = own & (X[:, 1] > tree.threshold[1])
    left = own & ~right
    # Without a ridge z stands for the line along feature 0, and only for that.
    expected = loss([X[own, 0]], -y[own])
    expected -= loss([X[left, 0]], -y[left]) + loss([X[right, 0]], -y[right])
    assert tree.gain[1] == pytest.approx(expected, rel=1e-4)
    assert all(set(line.slopes) <= {0} for line in tree.leaves)


@pytest.mark.parametrize("refit_leaves", [True, False])
def test_all_regressors_in_every_leaf(refit_leaves):
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.normal(size=(60, 2)), np.full(60, 3.0), rng.normal(size=60)])
    tree = grow(
        X,
        rng.normal(size=60),
        max_leaves=3,
        min_samples_leaf=10,
        regressors="all",
        fitting="fully_corrective",
        refit_leaves=refit_leaves,
        slope_shrinkage=0.0,
    )
    assert [list(line.slopes) for line in tree.leaves] == [[0, 1, 3]] * 3


def test_leaves_without_refit_are_multiples_of_the_path():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] > 0, 3 * X[:, 1], -2 * X[:, 0]) + np.where(X[:, 1] > 0.3, 5.0, 0.0)
    values = {"max_leaves": 4, "max_regressors": 2, "min_samples_leaf": 5.0, "l2_slopes": 0.1}
    refit = grow(X, -y, refit_leaves=True, **values)
    path = grow(X, -y, refit_leaves=False, **values)
    assert refit.feature == path.feature
    assert refit.gain == path.gain
    assert [line.slopes for line in refit.leaves] != [line.slopes for line in path.leaves]

    def squares(tree):
        output = tree.forest.predict(X, n_threads=1, last_tree=1)
        return np.sum((y - output) ** 2)

    # The refit minimises over more, apart from the ridge.
    assert squares(refit) <= squares(path) * (1 + 1e-6)
