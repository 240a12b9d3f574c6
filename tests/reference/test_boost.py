"""Boosting: against least squares, invariances, and prediction of odd values."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.reference.binning import encode
from tests.reference.boost import Forest, standardise, train
from tests.reference.grow import Options, tree_output
from tests.reference.weighted import Array

SMALL = Options(max_leaves=4, min_samples_leaf=2.0, l2=0.1, l2_slopes=0.1)


def rows(seed: int, n: int = 40) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(n, 2)), 1)
    return x, np.sin(2 * x[:, 0]) + x[:, 1] + 0.1 * rng.normal(size=n)


def boost(
    x: Array, y: Array, weights: Array | None = None, options: Options = SMALL, **others: object
) -> Forest:
    settings = {"loss": "squared_error", "n_rounds": 4, "learning_rate": 0.5, "max_bins": 20}
    return train(x, y, weights, options=options, **{**settings, **others})  # type: ignore[arg-type]


def test_one_round_of_one_leaf_is_least_squares() -> None:
    # One bin per value, so that bin means are the values.
    x, y = rows(0)
    options = Options(
        max_leaves=1,
        l2=0.0,
        l2_slopes=0.0,
        slope_shrinkage=0.0,
        fitting="fully_corrective",
        regressors="all",
    )
    forest = boost(x, y, options=options, n_rounds=1, learning_rate=1.0, max_bins=255)
    design = np.column_stack([np.ones(len(y)), x])
    solution, *_ = np.linalg.lstsq(design, y, rcond=None)
    np.testing.assert_allclose(forest.predict(x), design @ solution, atol=1e-5)


def test_rounds_reduce_the_error() -> None:
    x, y = rows(1)
    errors = [np.mean((boost(x, y, n_rounds=n).predict(x) - y) ** 2) for n in (0, 1, 3, 6)]
    assert errors[0] == pytest.approx(np.var(y))
    assert errors[0] > errors[1] > errors[2] > errors[3]


def test_weight_two_is_a_row_twice_and_weight_zero_no_row() -> None:
    x, y = rows(2)
    weights = np.random.default_rng(2).integers(0, 3, size=len(y)).astype(float)
    times = weights.astype(int)
    weighted = boost(x, y, weights)
    repeated = boost(np.repeat(x, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict(x), repeated.predict(x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_shift_and_scale_of_a_feature_change_nothing(loss: str) -> None:
    x, y = rows(3)
    if loss == "log_loss":
        y = (y > 0).astype(float)
    moved = x * [8.0, -0.25] + [1024.0, 3.0]
    plain = boost(x, y, loss=loss, max_bins=100)
    # Mirroring the second feature reverses its bins: one bin per value keeps the partitions.
    other = boost(moved, y, loss=loss, max_bins=100)
    np.testing.assert_allclose(plain.predict(x), other.predict(moved), rtol=1e-4, atol=1e-4)


def test_scale_of_y_scales_the_forest() -> None:
    x, y = rows(4)
    options = dataclasses.replace(SMALL, min_gain=0.5)
    plain = boost(x, y, options=options)
    scaled = boost(x, 1e-4 * y + 3.0, options=options)
    np.testing.assert_allclose(scaled.predict(x), 1e-4 * plain.predict(x) + 3.0, atol=1e-8)


def test_min_gain_is_relative_to_the_variance_of_y() -> None:
    x, y = rows(5)
    first = boost(x, y, n_rounds=1).trees[0].nodes[0].gain  # in units of the tree
    forest = boost(x, y, n_rounds=1)
    in_variances = first * forest.unit**2 / np.var(y)
    for factor, grown in ((0.999, True), (1.001, False)):
        options = dataclasses.replace(SMALL, min_gain=in_variances * factor)
        nodes = boost(x, y, options=options, n_rounds=1).trees[0].nodes
        assert (len(nodes) > 1) == grown


def test_log_loss_predicts_probabilities() -> None:
    x, y = rows(6)
    labels = (y > 0).astype(float)
    p = boost(x, labels, loss="log_loss", n_rounds=8).predict(x)
    assert np.all((p > 0) & (p < 1))
    assert np.mean((p > 0.5) == labels) > 0.9


def test_prediction_of_odd_values() -> None:
    x, y = rows(7)
    x[:5, 0] = np.nan
    forest = boost(x, y)
    bins = forest.bins[0]
    for clips in (False, True):
        assert standardise(np.nan, bins, clips=clips) == 0.0
        assert standardise(np.inf, bins, clips=clips) == (bins.high - bins.mu) / bins.sigma
        assert standardise(-np.inf, bins, clips=clips) == (bins.low - bins.mu) / bins.sigma
    assert standardise(1.7e308, bins, clips=False) == 1e15
    assert standardise(1.7e308, bins, clips=True) == (bins.high - bins.mu) / bins.sigma
    largest = np.array([[bins.high, 0.0], [np.inf, 0.0]])
    assert np.ptp(forest.predict(largest)) == 0.0
    assert np.all(np.isfinite(forest.predict([[np.nan, np.nan], [1e300, -np.inf]])))


def test_prediction_agrees_with_the_scores_of_training() -> None:
    # One bin per value: raw values and bin means are the same, up to the float32 of u.
    x, y = rows(8)
    x[::7, 1] = np.nan
    forest = boost(x, y, max_bins=255)
    codes = np.column_stack([encode(c, b) for c, b in zip(x.T, forest.bins, strict=True)])
    scores = forest.initial_score + sum(
        tree_output(tree, forest.bins, codes) for tree in forest.trees
    )
    np.testing.assert_allclose(forest.predict_score(x), scores, atol=1e-6)
    assert np.std(scores) > 0.5 * np.std(y)
