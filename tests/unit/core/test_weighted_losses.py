"""Initial scores and targets of the losses, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from plboost import _core
from plboost._core import stages


def gradients(loss, y, scores, weights=None, **parameters):
    y = np.asarray(y, dtype=float)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    return stages.gradients(loss, y, w, np.broadcast_to(scores, len(y)).astype(float), **parameters)


@pytest.mark.parametrize(
    ("loss", "y", "weights", "parameters", "expected"),
    [
        ("absolute_error", [1, 2, 9], None, {}, 2.0),
        ("absolute_error", [1, 2, 4, 9], None, {}, 3.0),
        ("absolute_error", [1, 2, 9], [1, 1, 3], {}, 9.0),
        ("absolute_error", [1, 2, 9], [1, 1, 2], {}, 5.5),
        ("quantile", [1, 2, 3, 4, 5], None, {"alpha": [0.3]}, 2.0),
        ("quantile", [1, 2, 3, 4, 5], None, {"alpha": [0.8]}, 4.5),
        # 1/1, 1/2, 1/10: the first is more than half of it.
        ("mape", [1, 2, 10], None, {}, 1.0),
        ("poisson", [0, 2, 4], None, {}, np.log(2.0)),
        ("gamma", [1, 3], [3, 1], {}, np.log(1.5)),
        ("tweedie", [0, 3], None, {"power": 1.3}, np.log(1.5)),
        # The median is 0, all but the last lie within the limit 1, and that counts as 1.
        ("huber", [-1, 0, 0.5, -0.5, 50], None, {"alpha": [0.6]}, 0.0),
    ],
)
def test_initial_scores(loss, y, weights, parameters, expected):
    assert gradients(loss, y, 0.0, weights, **parameters)[0] == pytest.approx(expected)


def test_pinball_by_hand():
    # Residuals 1, -1, 4; the band is the 0.25-quantile of their sizes, 1. Pulls 1/4, 3/4, 1/4;
    # curvatures 1/4, 3/4, 1/16, whose mean is 17/48.
    _, unit, _, g, h = gradients("quantile", [1, -1, 4], 0.0, alpha=[0.25])
    assert unit == pytest.approx(48 / 17)
    assert_allclose(g, [-0.25, 0.75, -0.25], rtol=1e-6)
    assert_allclose(h, np.array([1 / 4, 3 / 4, 1 / 16]) * 48 / 17, rtol=1e-6)
    assert h.mean() == pytest.approx(1.0)


def test_poisson_by_hand():
    # Mean 2, variance 8/3, dispersion 4/3. At mu = 2: y = 0 and 2 have the curvature mu, y = 4
    # that of the parabola with its minimum at log 4.
    _, _, _, g, h = gradients("poisson", [0, 2, 4], np.log(2.0))
    assert_allclose(g * 4 / 3, [2.0, 0.0, -2.0], atol=1e-6)
    assert_allclose(h * 4 / 3, [2.0, 2.0, 2.0 / np.log(2.0)], rtol=1e-6)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
@pytest.mark.parametrize("score", [-1e300, -800.0, 800.0, 1e300])
def test_no_score_overflows(loss, score):
    _, _, _, g, h = gradients(loss, [1.0, 2.0, 5.0], score)
    assert np.isfinite(g).all()
    assert np.isfinite(h).all()
    assert (h >= 0).all()
    assert np.isfinite(_core.apply_link(loss, np.array([score]))).all()


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "huber", "mape"])
@pytest.mark.parametrize("scale", [1e-250, 1e-12, 1e12, 1e150])
def test_gradients_do_not_see_the_scale(loss, scale):
    y = np.array([1.0, 2.0, -3.0, 7.0, 30.0, 2.5])
    plain = gradients(loss, y, 2.2)
    scaled = gradients(loss, y * scale, 2.2 * scale)
    assert_allclose(scaled[0], plain[0] * scale, rtol=1e-12)
    assert_allclose(scaled[1], plain[1] * scale, rtol=1e-12)
    assert_allclose(scaled[3], plain[3], rtol=1e-6)
    assert_allclose(scaled[4], plain[4], rtol=1e-6)


@pytest.mark.parametrize("n", [50, 600, 5000])
@pytest.mark.parametrize("far", [1e12, 1e20, 1e100])
def test_one_wild_target_does_not_move_the_limit(n, far):
    y = np.random.default_rng(n).normal(size=n)
    calm = gradients("huber", y, 0.0)
    y[0] = far
    initial, unit, *_ = gradients("huber", y, 0.0)
    assert initial == pytest.approx(calm[0], abs=1.0)
    assert 0.5 * calm[1] < unit < 5 * calm[1]


def test_equal_targets_have_no_gradients():
    for loss in ("absolute_error", "quantile", "huber", "mape", "poisson", "gamma", "tweedie"):
        initial, unit, _, g, h = gradients(
            loss, [3, 3, 3], np.log(3.0) if loss in ("poisson", "gamma", "tweedie") else 3.0
        )
        assert np.abs(g).max() < 1e-3
        assert np.isfinite([initial, unit, *h]).all()


@pytest.mark.parametrize(
    ("loss", "y", "message"),
    [
        ("poisson", [1, -1], "must not be negative for loss='poisson', got -1"),
        ("poisson", [0, 0], "must hold a positive number for loss='poisson', got only 0"),
        ("tweedie", [1, -2], "must not be negative for loss='tweedie', got -2"),
        ("gamma", [1, 0], "must be positive for loss='gamma', got 0"),
        ("mape", [1, 0], "must not hold 0 for loss='mape'"),
    ],
)
def test_targets_that_a_loss_cannot_take(loss, y, message):
    with pytest.raises(ValueError, match=message):
        gradients(loss, y, 0.0)
