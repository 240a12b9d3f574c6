"""The closed form of a leaf's line, against numpy.linalg.solve on the normal equations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from plboost._core import stages
from tests.unit.core.grown import dataset, grow, options

# Leaf fits are float64; u, g and h are float32 on both sides.
TOLERANCE = 1e-9


def row_order(n, seed=0):
    """Return the shuffled order of n rows, found by probing.

    The stage takes g and h in the order of the data set. A gradient in one place alone gives a
    slope that tells the row in that place, because every row has its own value.
    """
    data = dataset(np.arange(n), seed=seed)
    u = np.array(stages.dataset_bins(data, 0).values[:n], dtype=np.float64)
    order = []
    for place in range(n):
        g = np.zeros(n, dtype=np.float32)
        g[place] = 1.0
        slope = stages.fit_leaf(data, g, np.ones(n, dtype=np.float32), options(l2_slopes=1.0))[1]
        order.append(int(np.argmin(np.abs(u + slope * (n + 1.0)))))
    assert sorted(order) == list(range(n))
    return np.array(order)


def fit(X, g, h, **values):
    """Fit the rows as the caller has them; return the intercept, the slopes, and u."""
    X = np.asarray(X, dtype=float)
    data = dataset(X)
    order = row_order(len(X))
    g, h = np.asarray(g, dtype=np.float32), np.asarray(h, dtype=np.float32)
    intercept, *slopes = stages.fit_leaf(data, g[order], h[order], options(**values))
    columns = []
    for feature in range(X.shape[1]):
        bins = stages.dataset_bins(data, feature)
        if bins.usable:
            columns.append(np.array(bins.values)[bins.encode(np.ascontiguousarray(X[:, feature]))])
    return intercept, np.array(slopes), np.column_stack(columns).astype(np.float64)


def closed_form(u, g, h, penalty):
    """Minimise sum(g f + h f^2 / 2) + theta' penalty theta / 2 for f = theta_0 + u theta_1.."""
    design = np.column_stack([np.ones(len(u)), u])
    g, h = np.asarray(g, dtype=np.float64), np.asarray(h, dtype=np.float64)
    return np.linalg.solve(design.T @ (h[:, None] * design) + penalty, -design.T @ g)


def centred_penalty(u, h, l2, l2_slopes):
    # m = b + sum_j s_j ubar_j is the mean output that l2 shrinks.
    mean = np.append(1.0, np.average(u, axis=0, weights=h))
    return l2 * np.outer(mean, mean) + l2_slopes * np.diag([0.0] + [1.0] * u.shape[1])


def paper_penalty(X, l2, l2_slopes):
    # Intercept and slopes in the user's units: b - sum_j s_j mu_j / sigma_j, and s_j / sigma_j.
    mu, sigma = X.mean(axis=0), X.std(axis=0)
    zero = np.append(1.0, -mu / sigma)
    return l2 * np.outer(zero, zero) + l2_slopes * np.diag(np.append(0.0, sigma**-2.0))


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3)) * [1.0, 5.0, 0.2] + [0.0, 20.0, -3.0]
    g = rng.normal(size=30).astype(np.float32)
    h = rng.uniform(0.2, 2.0, size=30).astype(np.float32)
    return X, g, h


@pytest.mark.parametrize(("l2", "l2_slopes"), [(0.0, 0.0), (0.7, 0.0), (0.0, 2.5), (0.7, 2.5)])
def test_centred_penalty(rows, l2, l2_slopes):
    X, g, h = rows
    intercept, slopes, u = fit(X, g, h, l2=l2, l2_slopes=l2_slopes)
    expected = closed_form(u, g, h, centred_penalty(u, h, l2, l2_slopes))
    assert_allclose([intercept, *slopes], expected, rtol=TOLERANCE)


@pytest.mark.parametrize(("l2", "l2_slopes"), [(0.0, 0.0), (0.7, 0.0), (0.0, 2.5), (0.7, 2.5)])
def test_paper_penalty(rows, l2, l2_slopes):
    X, g, h = rows
    intercept, slopes, u = fit(X, g, h, l2=l2, l2_slopes=l2_slopes, penalty="paper")
    expected = closed_form(u, g, h, paper_penalty(X, l2, l2_slopes))
    assert_allclose([intercept, *slopes], expected, rtol=1e-8)


def test_penalties_differ(rows):
    X, g, h = rows
    one = fit(X, g, h, l2=0.7, l2_slopes=0.7)[1]
    other = fit(X, g, h, l2=0.7, l2_slopes=0.7, penalty="paper")[1]
    assert np.abs(one - other).max() > 1e-3


def test_two_rows_by_hand():
    # u = -1, 1. f = -g exactly, without a penalty: f(-1) = 3, f(1) = 1.
    intercept, slopes, u = fit([[0], [10]], g=[-3, -1], h=[1, 1])
    assert u[:, 0].tolist() == [-1, 1]
    assert (intercept, slopes.tolist()) == (2.0, [-1.0])
    # m = 4 / (2 + 2), s = -2 / (2 + 6).
    intercept, slopes, _ = fit([[0], [10]], g=[-3, -1], h=[1, 1], l2=2.0, l2_slopes=6.0)
    assert (intercept, slopes.tolist()) == (1.0, [-0.25])


@pytest.mark.parametrize("penalty", ["centred", "paper"])
@pytest.mark.parametrize("second", ["duplicate", "collinear", "flat in h"])
def test_column_without_information_is_dropped(penalty, second):
    rng = np.random.default_rng(3)
    x = rng.integers(-8, 8, size=24).astype(float)
    h = np.ones(24)
    if second == "duplicate":
        X = np.column_stack([x, x])
    elif second == "collinear":
        X = np.column_stack([x, 5 - 2 * x])
    else:
        # It varies only where h is 0.
        h[:4] = 0.0
        X = np.column_stack([x, np.arange(24) < 4])
    g = rng.normal(size=24) * h
    intercept, slopes, _ = fit(X, g, h, penalty=penalty)
    alone_intercept, alone_slopes, _ = fit(X[:, :1], g, h, penalty=penalty)
    assert slopes[1] == 0.0
    assert_allclose([intercept, slopes[0]], [alone_intercept, alone_slopes[0]], rtol=TOLERANCE)


def test_column_that_is_the_sum_of_two_others_is_dropped():
    rng = np.random.default_rng(4)
    X = rng.integers(-8, 8, size=(40, 2)).astype(float)
    g = rng.normal(size=40)
    _, slopes, _ = fit(np.column_stack([X, X.sum(axis=1)]), g, np.ones(40))
    _, alone, _ = fit(X, g, np.ones(40))
    assert slopes[2] == 0.0
    assert_allclose(slopes[:2], alone, rtol=1e-6)  # u is rounded to float32


def test_duplicates_share_the_slope_under_a_ridge():
    # The ridge makes the system regular, so nothing is dropped: both get the same slope.
    x = np.arange(10.0)
    g = np.linspace(1, -2, 10)
    _, slopes, _ = fit(np.column_stack([x, x]), g, np.ones(10), l2_slopes=0.5)
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-9)
    assert slopes[0] != 0.0


def test_constant_column_has_no_slot_and_takes_no_part():
    x = np.arange(10.0)
    g = np.linspace(1, -2, 10)
    _, slopes, u = fit(np.column_stack([np.full(10, 4.0), x]), g, np.ones(10))
    assert u.shape == (10, 1)
    assert len(slopes) == 1


def test_no_curvature_at_all_gives_zero():
    intercept, slopes, _ = fit([[0], [1], [2]], g=[1, 2, 3], h=[0, 0, 0])
    assert (intercept, slopes.tolist()) == (0.0, [0.0])


def test_only_l2_curves():
    # H = 0, l2 = 2: m = -G / l2, and no slope, whose moment vanishes.
    intercept, slopes, _ = fit([[0], [1], [2]], g=[1, 2, 3], h=[0, 0, 0], l2=2.0)
    assert (intercept, slopes.tolist()) == (-3.0, [0.0])


def test_narrow_leaf_far_from_the_mean_keeps_its_slope():
    # The leaf x > 2 spans 1 % of the feature's range: its moments are the small difference of
    # large sums unless they are taken around a value of its own.
    x = np.concatenate([np.linspace(-1, 1, 20), 1000 + np.linspace(0, 10, 20)])
    y = np.where(x > 2, 3 * (x - 1000), -50.0)
    grown = grow(x, -y, max_leaves=2, max_regressors=1)
    scale = stages.dataset_bins(dataset(x), 0).scale
    assert grown.leaf_of_row.tolist() == [0] * 20 + [1] * 20
    # u in float32 has steps of 6e-8 beside a width of 0.02.
    assert grown.leaves[1].slopes[0] / scale == pytest.approx(3.0, rel=1e-5)


def test_lengths_must_agree():
    data = dataset([1, 2, 3])
    with pytest.raises(ValueError, match="g must have 3 elements, got 2"):
        stages.fit_leaf(data, np.ones(2, np.float32), np.ones(3, np.float32), options())
