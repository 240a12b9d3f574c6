from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from plboost import Dataset, train
from tests.problems import STEADY, small_problems
from tests.unit.core.grown import grow

NAN = np.nan
CONSTANT = {"max_regressors": 0, "mean_shrinkage": 0.0}
FITTINGS = ("half_additive", "additive", "fully_corrective")


def test_one_split_by_hand():
    # L(node) = 0; each child has G = -+2, H = 2, L = -4/4, output -G/H.
    tree = grow([0, 1, 2, 3], [1, 1, -1, -1], max_leaves=2, **CONSTANT)
    assert tree.feature == [0, -1, -1]
    assert tree.threshold[0] == 1.5
    assert tree.gain == [2.0, 0.0, 0.0]
    assert tree.weight == [4, 2, 2]
    assert [line.intercept for line in tree.leaves] == [-1, 1]
    assert tree.leaf_of_row.tolist() == [0, 0, 1, 1]


def test_ridge_enters_gain_and_output():
    tree = grow([0, 1, 2, 3], [1, 1, -1, -1], max_leaves=2, l2=2.0, **CONSTANT)
    assert tree.gain[0] == 1.0
    assert [line.intercept for line in tree.leaves] == [-0.5, 0.5]


@pytest.mark.parametrize("fitting", FITTINGS)
def test_two_lines_by_hand(fitting):
    # Two lines that meet nowhere: without a ridge each child fits its own exactly.
    x = np.arange(8.0)
    y = np.where(x < 4, x, 20 - 3 * x)
    tree = grow(x, -y, max_leaves=2, fitting=fitting)
    assert tree.threshold[0] == 3.5
    residual = np.sum((y - y.mean()) ** 2)
    node_loss = -(np.sum(y) ** 2) / 16
    children = -np.sum(y**2) / 2
    assert tree.gain[0] == pytest.approx(node_loss - children, rel=1e-5)
    assert tree.gain[0] == pytest.approx(residual / 2, rel=1e-5)
    sigma = np.std(x)
    slopes = [line.slopes[0] / sigma for line in tree.leaves]
    assert slopes == pytest.approx([1, -3], rel=1e-6)


def test_max_leaves():
    rng = np.random.default_rng(0)
    X, g = rng.normal(size=(64, 2)), rng.normal(size=64)
    for max_leaves in (1, 2, 3, 7, 20):
        tree = grow(X, g, max_leaves=max_leaves, **CONSTANT)
        assert len(tree.leaves) == max_leaves
        assert len(tree.feature) == 2 * max_leaves - 1
    assert len(grow(X, g, max_leaves=1000, **CONSTANT).leaves) <= 64


def test_max_depth():
    # The largest residual is always the last row: an unbounded tree is a chain.
    x = np.arange(10.0)
    g = -(4.0**x)
    assert grow(x, g, max_leaves=6, **CONSTANT).depth == 5
    for max_depth in (1, 2, 3):
        tree = grow(x, g, max_leaves=1000, max_depth=max_depth, **CONSTANT)
        assert tree.depth == max_depth
        assert len(tree.leaves) <= 2**max_depth


def test_min_samples_leaf_counts_weights():
    # The best cut (behind the first row) leaves weight 1.5 on the left; the next one 3.
    x, g, weight = [0, 1, 2, 3], [-9, 0, 0, 1], [1.5, 1.5, 1, 1]
    cuts = {
        minimum: grow(
            x, g, weight=weight, max_leaves=2, min_samples_leaf=minimum, **CONSTANT
        ).threshold[0]
        for minimum in (0.0, 1.0, 1.5, 1.6, 2.0)
    }
    assert cuts == {0.0: 0.5, 1.0: 0.5, 1.5: 0.5, 1.6: 1.5, 2.0: 1.5}
    assert len(grow(x, g, weight=weight, min_samples_leaf=2.1, **CONSTANT).leaves) == 1


def test_min_hessian():
    x, g, h = [0, 1, 2, 3], [-9, 0, 0, 1], [0.25, 0.5, 1, 1]
    cuts = {
        minimum: grow(x, g, h, max_leaves=2, min_hessian=minimum, **CONSTANT).threshold[0]
        for minimum in (0.0, 0.25, 0.5, 0.75, 1.0)
    }
    assert cuts == {0.0: 0.5, 0.25: 0.5, 0.5: 1.5, 0.75: 1.5, 1.0: 2.5}
    assert len(grow(x, g, h, min_hessian=1.5, **CONSTANT).leaves) == 1


def test_child_without_curvature_is_never_made():
    x, g = [0, 1, 2, 3], [-9, -9, 0, 1]
    tree = grow(x, g, [0, 0, 1, 1], max_leaves=2, min_samples_leaf=0.0, l2=1.0, **CONSTANT)
    assert tree.threshold[0] == 2.5


@pytest.mark.parametrize("scale", [1e-6, 1.0, 3.0, 1000.0, 1e100])
def test_min_gain_is_relative_to_the_variance_of_y(scale):
    # The only sensible split has a gain of n/2 variances: 2.
    X, y = np.arange(4.0).reshape(-1, 1), np.array([-1.0, -1.0, 1.0, 1.0]) * scale
    params = {"n_estimators": 1, "min_samples_leaf": 1, "l2": 0.0, "max_regressors": 0}

    def n_leaves(min_gain):
        return len(train({**params, "min_gain": min_gain}, Dataset(X, y)).tree(0).leaves)

    assert n_leaves(1.999) == 2
    assert n_leaves(2.001) == 1


def test_min_gain_of_log_loss_is_absolute():
    # p = 1/2, g = -+1/2, h = 1/4: the children's L is -1/(2 * 1/2) each.
    X, y = np.arange(4.0).reshape(-1, 1), np.array([0.0, 0.0, 1.0, 1.0])
    params = {"loss": "log_loss", "n_estimators": 1, "min_samples_leaf": 1, "l2": 0.0}

    def n_leaves(min_gain):
        booster = train({**params, "max_regressors": 0, "min_gain": min_gain}, Dataset(X, y))
        return len(booster.tree(0).leaves)

    assert n_leaves(1.999) == 2
    assert n_leaves(2.001) == 1


@pytest.mark.parametrize("fitting", FITTINGS)
def test_equal_features_go_to_the_lowest(fitting):
    x = np.array([0.0, 1, 2, 3, 4, 5])
    g = np.array([3.0, 1, 2, -1, -2, -4])
    tree = grow(np.column_stack([x[::-1] * 0 + 7, x, x, x]), g, max_leaves=2, fitting=fitting)
    assert tree.feature[0] == 1


def test_equal_thresholds_go_to_the_lowest():
    # Cutting off either end gains the same.
    assert grow([0, 1, 2, 3], [-1, 1, 1, -1], max_leaves=2, **CONSTANT).threshold[0] == 0.5


def test_equal_sides_of_missing_go_right():
    # {0 | 1, nan} and {0, nan | 1} both have L = -1/2 - 1/4.
    tree = grow([0, 1, NAN], [1, -1, 0], max_leaves=2, **CONSTANT)
    assert (tree.threshold[0], tree.missing_left[0]) == (0.5, False)


def test_equal_leaves_are_split_in_the_order_they_were_made():
    tree = grow(np.arange(8), [5, 5, 3, 3, -5, -5, -3, -3], max_leaves=4, **CONSTANT)
    assert tree.left[:3] == [1, 3, 5]
    assert tree.gain[1] == tree.gain[2]


@pytest.mark.parametrize(("side", "sign"), [(True, 1), (False, -1)])
def test_missing_values_choose_their_side(side, sign):
    tree = grow([0, 1, 2, 3, NAN, NAN], [4, 4, -4, -4, 4 * sign, 4 * sign], max_leaves=2)
    assert tree.threshold[0] == 1.5
    assert tree.missing_left[0] is side
    assert tree.leaf_of_row[4:].tolist() == ([0, 0] if side else [1, 1])


def test_missing_against_all_values():
    tree = grow([0, 1, 2, NAN], [1, 1, 1, -9], max_leaves=2, **CONSTANT)
    assert (tree.threshold[0], tree.missing_left[0]) == (np.inf, False)
    assert tree.leaf_of_row.tolist() == [0, 0, 0, 1]


def test_missing_against_the_only_value():
    tree = grow([5, 5, NAN, NAN], [1, 1, -9, -9], max_leaves=2)
    assert (tree.feature[0], tree.threshold[0]) == (0, np.inf)
    assert all(line.slopes == {} for line in tree.leaves)


@pytest.mark.parametrize(
    ("g", "side"), [([9, -1, -1, -1, -1], False), ([1, 1, 1, 1, -9], True), ([2, 2, -2, -2], True)]
)
def test_missing_of_rows_to_come_go_to_the_heavier_child(g, side):
    tree = grow(np.arange(len(g)), g, max_leaves=2, **CONSTANT)
    assert tree.missing_left[0] is side


@settings(STEADY, max_examples=60)
@given(problem=small_problems(min_rows=2))
def test_nodes_are_numbered_as_they_are_made(problem):
    g = (problem.weights * (problem.y.mean() - problem.y)).astype(np.float32)
    tree = grow(problem.X, g, weight=problem.weight, max_leaves=8, l2=0.1, l2_slopes=0.1)
    lefts = sorted(left for node, left in enumerate(tree.left) if tree.feature[node] >= 0)
    assert lefts == list(range(1, len(tree.feature), 2))
    # The k-th split was the best of the leaves that were there.
    made_at = {left: node for node, left in enumerate(tree.left) if tree.feature[node] >= 0}
    for left in lefts:
        later = [made_at[other] for other in lefts if other > left and made_at[other] < left]
        assert all(tree.gain[node] <= tree.gain[made_at[left]] for node in later)
    for node, left in enumerate(tree.left):
        if tree.feature[node] >= 0:
            assert tree.weight[node] == pytest.approx(tree.weight[left] + tree.weight[left + 1])


def test_no_usable_feature_gives_a_single_leaf():
    tree = grow([[7, NAN], [7, NAN], [7, NAN]], [1, 2, -9], l2=1.0)
    assert tree.feature == [-1]
    assert tree.leaves[0].intercept == pytest.approx(1.5)


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_do_not_matter(n_threads):
    rng = np.random.default_rng(2)
    X, g = rng.normal(size=(500, 9)), rng.normal(size=500)
    one, other = (grow(X, g, n_threads=n, l2=0.1, max_leaves=12) for n in (1, n_threads))
    for name, array in one.forest.to_arrays().items():
        assert array.tobytes() == other.forest.to_arrays()[name].tobytes()
    assert one.leaf_of_row.tolist() == other.leaf_of_row.tolist()
