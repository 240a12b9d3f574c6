"""Whole trees by hand, and what every tree must satisfy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.grow import Options, Tree, grow_tree, tree_output
from tests.reference.tables import Table, make_table, random_table

FREE = Options(min_samples_leaf=1.0, min_hessian=0.0, l2=0.0, l2_slopes=0.0)


def grow(table: Table, **options: object) -> Tree:
    chosen = Options(**{**vars(FREE), **options})
    return grow_tree(table.bins, table.codes, table.g, table.h, table.w, chosen)


def test_constant_tree_by_hand() -> None:
    # g per row; the best first split is 2 | 6 rows (gain 48), then the right six at 4 | 2.
    x = np.arange(8.0)[:, None]
    table = make_table(x, np.zeros(8))
    g = np.array([6.0, 6.0, -4.0, -4.0, -4.0, -4.0, 2.0, 2.0])
    tree = grow_tree(
        table.bins,
        table.codes,
        g,
        table.h,
        table.w,
        Options(**{**vars(FREE), "max_regressors": 0, "max_leaves": 3}),
    )
    # L(root) = 0. Split behind 1: 12^2/4 + 12^2/12 = 48. Then right: sums -16 of 4, 4 of 2, node
    # -12 of 6: 16^2/8 + 4^2/4 - 12^2/12 = 24.
    assert [(n.feature, n.threshold, n.left, n.right) for n in tree.nodes] == [
        (0, 1, 1, 2),
        (-1, -1, -1, -1),
        (0, 5, 3, 4),
        (-1, -1, -1, -1),
        (-1, -1, -1, -1),
    ]
    assert [n.gain for n in tree.nodes] == [pytest.approx(48.0), 0.0, pytest.approx(24.0), 0.0, 0.0]
    leaves = [n.leaf for n in tree.nodes if n.leaf is not None]
    assert [leaf.intercept for leaf in leaves] == [-6.0, 4.0, -2.0]
    assert [leaf.low for leaf in leaves] == [-6.0, 4.0, -2.0]
    assert tree_output(tree, table.bins, table.codes).tolist() == (-g).tolist()
    assert [n.weight for n in tree.nodes] == [8.0, 2.0, 6.0, 4.0, 2.0]


def test_linear_target_is_fitted_by_one_leaf_with_all_regressors() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 9, size=(50, 4)).astype(float)
    y = x @ [1.0, -2.0, 0.5, 3.0] + 4.0
    table = make_table(x, y)
    tree = grow(table, fitting="fully_corrective", regressors="all", max_leaves=1)
    leaf = tree.nodes[0].leaf
    assert leaf is not None
    sigma = np.array([b.sigma for b in table.bins])
    unit = 2.0 ** np.round(np.log2(np.std(y)))
    np.testing.assert_allclose(leaf.slopes * unit / sigma, [1.0, -2.0, 0.5, 3.0], rtol=1e-5)
    np.testing.assert_allclose(
        tree_output(tree, table.bins, table.codes) * unit, y - np.mean(y), atol=1e-5
    )


def test_a_kink_is_fitted_exactly_by_two_leaves() -> None:
    x = np.arange(-8.0, 9.0)[:, None]
    y = np.where(x[:, 0] <= 0.0, -x[:, 0], 3 * x[:, 0] - 3.0)
    for fitting in ("half_additive", "additive", "fully_corrective"):
        tree = grow(make_table(x, y), fitting=fitting, max_leaves=2)
        assert tree.nodes[0].threshold == 8
        table = make_table(x, y)
        unit = 2.0 ** np.round(np.log2(np.std(y)))
        fitted = tree_output(tree, table.bins, table.codes) * unit
        np.testing.assert_allclose(fitted, y - np.mean(y), atol=1e-5)


@pytest.mark.parametrize("fitting", ["half_additive", "additive", "fully_corrective"])
@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_limits_hold(fitting: str, loss: str) -> None:
    table = random_table(3, loss=loss)
    tree = grow(
        table,
        fitting=fitting,
        max_leaves=9,
        max_depth=3,
        min_samples_leaf=7.0,
        max_regressors=1,
        l2=0.1,
        l2_slopes=0.1,
    )
    depth = {0: 0}
    for node in tree.nodes:
        if node.leaf is None:
            depth[node.left] = depth[node.right] = depth[node.id] + 1
            rows = np.concatenate([tree.nodes[node.left].rows, tree.nodes[node.right].rows])
            assert sorted(rows) == sorted(node.rows)  # type: ignore[arg-type]
            assert node.gain > 0.0
        else:
            assert len(node.leaf.regressors) <= 1
            assert node.weight >= 7.0
    assert len(tree.nodes) > 5
    assert max(depth.values()) <= 3
    assert sum(node.leaf is not None for node in tree.nodes) <= 9


def test_best_leaf_is_split_first() -> None:
    tree = grow(random_table(5), max_leaves=6, max_regressors=0)
    # Each split is the best of all leaves: a bigger tree begins with the smaller one.
    smaller = grow(random_table(5), max_leaves=3, max_regressors=0)
    for few, many in zip(smaller.nodes, tree.nodes, strict=False):
        if few.leaf is None:
            assert (few.feature, few.threshold, few.left) == (
                many.feature,
                many.threshold,
                many.left,
            )


def test_leaf_without_refit_keeps_the_direction_of_the_search() -> None:
    table = random_table(8)
    options = {"max_leaves": 5, "repeated": "refit", "l2": 0.1, "l2_slopes": 0.1}
    plain = grow(table, **options, refit_leaves=False)
    refitted = grow(table, **options, refit_leaves=True)
    better = 0
    for one, other in zip(plain.nodes, refitted.nodes, strict=True):
        assert (one.feature, one.threshold) == (other.feature, other.threshold)
        if one.leaf is not None and other.leaf is not None:
            assert one.leaf.regressors == other.leaf.regressors
            better += not np.allclose(one.leaf.slopes, other.leaf.slopes)
    assert better > 0


def test_extrapolation() -> None:
    table = random_table(8)
    clamped = [n.leaf for n in grow(table, max_leaves=4).nodes if n.leaf]
    free = [n.leaf for n in grow(table, max_leaves=4, extrapolation="linear").nodes if n.leaf]
    assert all(
        np.isfinite([leaf.low, leaf.high]).all() and leaf.low <= leaf.high for leaf in clamped
    )
    assert all((leaf.low, leaf.high) == (-np.inf, np.inf) for leaf in free)


def test_no_split_above_min_gain_gives_one_leaf() -> None:
    table = random_table(8)
    first = grow(table, max_leaves=2).nodes[0].gain
    assert len(grow(table, max_leaves=8, min_gain=first * 1.001).nodes) == 1
    assert len(grow(table, max_leaves=8, min_gain=first * 0.999).nodes) >= 3


def test_unknown_option_values_are_refused() -> None:
    with pytest.raises(ValueError, match="fitting must be one of"):
        Options(fitting="half")
    with pytest.raises(ValueError, match="needs fitting='fully_corrective'"):
        Options(regressors="all")
