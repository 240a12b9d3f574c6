"""max_regressors=0 is a standard GBDT: the same splits as a plain tree of constants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost._core import stages
from tests.problems import STEADY, Problem, small_problems, smooth_problems
from tests.property.boosters import FITTINGS, PENALTIES, fit, loss_of, splits_in_order
from tests.property.constant_tree import ConstantTree, Cut

ODD_COLUMNS = ("continuous", "ties", "few", "binary", "missing", "missing_constant", "infinite")


def first_gradients(problem: Problem, loss: str):
    """Return initial score, unit, and the g and h of the first round, from the text."""
    y, w = problem.y, problem.weights
    mean = np.average(y, weights=w)
    if loss == "log_loss":
        return np.log(mean / (1 - mean)), 1.0, w * (mean - y), w * mean * (1 - mean)
    deviation = np.sqrt(np.average((y - mean) ** 2, weights=w))
    unit = 2.0 ** np.round(np.log2(deviation)) if deviation > 0 else 1.0
    return mean, unit, w * (mean - y) / unit, w


def plain_tree(problem: Problem, loss: str, l2: float, max_leaves: int, min_samples_leaf: float):
    """Grow the oracle's first tree; rows without weight are left out."""
    counted = problem.weights > 0
    kept = Problem(problem.X[counted], problem.y[counted], problem.weights[counted])
    initial, unit, g, h = first_gradients(kept, loss)
    tree = ConstantTree(kept.X, g, h, kept.weights, l2, min_samples_leaf).grow(max_leaves)
    return tree, initial, unit


def is_same(split, node: int, cut: Cut) -> bool:
    return (
        split.node == node
        and split.feature == f"x{cut.feature}"
        and split.threshold == cut.threshold
        and (split.missing == "left") == cut.missing_left
    )


def compare(problem: Problem, l2: float, params: dict[str, object]) -> bool:
    """Assert equal splits up to the first tie; return whether there was none."""
    loss = loss_of(problem)
    oracle, initial, unit = plain_tree(problem, loss, l2, 6, 0.0)
    booster = fit(
        problem,
        loss=loss,
        n_estimators=1,
        learning_rate=1.0,
        max_regressors=0,
        max_leaves=6,
        min_samples_leaf=0,  # with a minimum the bins of small nodes are joined
        l2=l2,
        mean_shrinkage=0.0,
        **params,
    )
    tree = booster.tree(0)
    splits = splits_in_order(tree)
    # Losses are float32 sums on one side.
    slack = 1e-5 * max(abs(oracle.loss(rows)) for rows in oracle.rows)
    slack += 1e-6 * problem.weights.sum()
    for k in range(max(len(splits), len(oracle.splits))):
        if k >= min(len(splits), len(oracle.splits)):
            rest = [split.gain for split in splits[k:]] + [cut.gain for _, cut in oracle.splits[k:]]
            assert rest[0] <= slack, f"split {k} of gain {rest[0]} exists on one side only"
            return False
        node, cut = oracle.splits[k]
        if not is_same(splits[k], node, cut):
            assert abs(splits[k].gain - cut.gain) <= slack, f"split {k}: {splits[k]}, not {cut}"
            return False
        assert_allclose(splits[k].gain, cut.gain, rtol=1e-5, atol=slack)
    outputs = np.array([oracle.value(oracle.rows[leaf.node]) for leaf in tree.leaves])
    got = np.array([leaf.intercept for leaf in tree.leaves])
    assert_allclose(got, outputs * unit, rtol=1e-5, atol=1e-6 * unit)
    assert_allclose(booster.base_score, initial, rtol=1e-12, atol=1e-12)
    assert all(not leaf.slopes for leaf in tree.leaves)
    return True


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("kind", ["smooth", "odd"])
def test_same_splits_as_a_plain_tree(kind, binary):
    strategy = {
        "smooth": smooth_problems(min_rows=20, binary=binary, weights=["none", "fractions"]),
        "odd": small_problems(max_rows=40, kinds=ODD_COLUMNS, binary=binary),
    }[kind]
    whole = []

    @settings(STEADY, max_examples=50)
    @given(
        problem=strategy,
        l2=st.sampled_from([0.0, 0.1, 5.0]),
        fitting=st.sampled_from(FITTINGS),
        penalty=st.sampled_from(PENALTIES),
    )
    def check(problem, l2, fitting, penalty):
        whole.append(compare(problem, l2, {"fitting": fitting, "penalty": penalty}))

    check()
    # Where columns have few values, two of them often part a small node alike.
    assert np.mean(whole) > (0.8 if kind == "smooth" else 0.5)


@settings(STEADY)
@given(
    problem=small_problems() | small_problems(binary=True),
    penalty=st.sampled_from(PENALTIES),
    l2_slopes=st.sampled_from([0.0, 3.0]),
)
def test_fittings_do_not_differ_without_regressors(problem, penalty, l2_slopes):
    # Fully corrective fitting has a scan of its own, whose ties may fall the other way.
    params = {"loss": loss_of(problem), "max_regressors": 0, "penalty": penalty}
    half, additive = (
        fit(problem, fitting=fitting, l2_slopes=l2_slopes, **params)
        for fitting in ("half_additive", "additive")
    )
    forests = [
        {name: array.tobytes() for name, array in booster._forest.to_arrays().items()}
        for booster in (half, additive)
    ]
    assert forests[0] == forests[1]


def test_oracle_by_hand():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    tree = ConstantTree(X, np.array([1.0, 1, -1, -1]), np.ones(4), np.ones(4), 0.0, 1.0).grow(2)
    [(node, cut)] = tree.splits
    assert (node, cut.threshold, cut.gain, cut.missing_left) == (0, 1.5, 2.0, True)
    assert [tree.value(rows) for rows in tree.rows[1:]] == [-1, 1]
    bins = stages.find_bins(X[:, 0].copy(), np.ones(4), 255)
    assert bins.edges == [0.5, 1.5, 2.5]
