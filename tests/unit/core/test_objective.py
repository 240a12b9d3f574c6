from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost import _core
from plboost._core import stages
from tests.problems import STEADY


def gradients(loss, targets, scores, weights=None):
    targets = np.asarray(targets, dtype=float)
    weights = np.ones(len(targets)) if weights is None else np.asarray(weights, dtype=float)
    return stages.gradients(loss, targets, weights, np.asarray(scores, dtype=float))


def test_squared_error_by_hand():
    # Mean 3, variance (9 + 1 + 1 + 9) / 4 = 5, log2(sqrt 5) = 1.16: the unit is 2.
    initial, unit, gain_scale, g, h = gradients("squared_error", [0, 2, 4, 6], [1, 1, 1, 1])
    assert (initial, unit, gain_scale) == (3.0, 2.0, pytest.approx(5 / 4))
    assert g.tolist() == [0.5, -0.5, -1.5, -2.5]
    assert h.tolist() == [1, 1, 1, 1]


def test_squared_error_with_weights():
    # Mean (0 + 3 * 4) / 4 = 3, variance (9 + 3) / 4 = 3, log2(sqrt 3) = 0.79: the unit is 2.
    initial, unit, gain_scale, g, h = gradients("squared_error", [0, 4], [1, 1], [1, 3])
    assert (initial, unit, gain_scale) == (3.0, 2.0, pytest.approx(3 / 4))
    assert g.tolist() == [0.5, -4.5]
    assert h.tolist() == [1, 3]


def test_constant_target_has_unit_1():
    initial, unit, gain_scale, g, _ = gradients("squared_error", [7, 7, 7], [7, 7, 7])
    assert (initial, unit, gain_scale) == (7.0, 1.0, 1.0)
    assert not g.any()


@settings(STEADY, max_examples=100)
@given(exponent=st.integers(-1000, 1000), seed=st.integers(0, 1000))
def test_squared_error_does_not_see_the_scale(exponent, seed):
    y = np.random.default_rng(seed).normal(size=9)
    one = gradients("squared_error", y, np.zeros(9))
    factor = 2.0**exponent
    other = gradients("squared_error", y * factor, np.zeros(9))
    assert other[0] == one[0] * factor
    assert other[1] == one[1] * factor
    assert other[3].tolist() == one[3].tolist()


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1e200, 1.7e308])
def test_squared_error_at_the_ends_of_the_range(scale):
    y = np.array([-1.0, 1.0, 1.0, -1.0]) * scale
    initial, unit, gain_scale, g, h = gradients("squared_error", y, np.zeros(4))
    assert initial == 0.0
    assert 0.0 < unit < np.inf
    assert 0.0 < gain_scale < np.inf
    assert np.isfinite(g).all()
    assert (h == 1).all()


def test_log_loss_by_hand():
    scores = [0, 0, np.log(3), -800, 800]
    initial, unit, gain_scale, g, h = gradients("log_loss", [1, 0, 1, 1, 1], scores)
    assert (initial, unit, gain_scale) == (pytest.approx(np.log(4)), 1.0, 1.0)
    assert_allclose(g, [-0.5, 0.5, -0.25, -1.0, 0.0], rtol=1e-7)
    assert_allclose(h, [0.25, 0.25, 3 / 16, 1 / 8, 0.0], rtol=1e-7)  # no step beyond 8


def test_log_loss_with_weights():
    initial, _, _, g, h = gradients("log_loss", [1, 0], [0, 0], [6, 2])
    assert initial == pytest.approx(np.log(3))
    assert g.tolist() == [-3.0, 1.0]
    assert h.tolist() == [1.5, 0.5]


@pytest.mark.parametrize("score", [40.0, 60.0, 80.0])
def test_log_loss_is_accurate_in_both_tails(score):
    _, _, _, g, h = gradients("log_loss", [1, 0, 1, 0], [score, score, -score, -score])
    small = np.exp(-score)  # 1 - p and p to 16 digits
    assert_allclose(g, [-small, 1.0, -1.0, small], rtol=1e-6)
    assert_allclose(h, [small, 1 / 8, 1 / 8, small], rtol=1e-6)


@settings(STEADY, max_examples=100)
@given(score=st.floats(-1e308, 1e308))
def test_log_loss_never_leaves_its_range(score):
    _, _, _, g, h = gradients("log_loss", [1, 0], [score, score])
    assert -1 <= g[0] <= 0 <= g[1] <= 1
    assert 0 <= h.min() <= h.max() <= 0.25


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_gradients_are_derivatives_of_the_metric(loss):
    rng = np.random.default_rng(5)
    y = (rng.random(40) < 0.4).astype(float)
    scores, w = rng.normal(size=40), rng.uniform(0.5, 2, size=40)
    _, unit, _, g, h = gradients(loss, y, scores, w)

    def loss_of(row, score):
        value = stages.evaluate(
            _core.metric_name(loss), np.array([score]), y[row : row + 1], w[row : row + 1]
        )
        return value**2 / 2 if loss == "squared_error" else value

    step = 1e-4
    for row in range(40):
        low, middle, high = (loss_of(row, scores[row] + d) for d in (-step, 0.0, step))
        assert g[row] * unit == pytest.approx(w[row] * (high - low) / (2 * step), abs=1e-6)
        curvature = w[row] * (high - 2 * middle + low) / step**2
        least = abs(g[row]) / 8 if loss == "log_loss" else 0.0
        assert h[row] == pytest.approx(max(curvature, least), abs=1e-5)


def test_links():
    scores = np.array([-800.0, -np.log(3), 0.0, np.log(3), 800.0])
    assert _core.apply_link("squared_error", scores).tolist() == scores.tolist()
    assert_allclose(_core.apply_link("log_loss", scores), [0, 0.25, 0.5, 0.75, 1], atol=1e-15)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([0, 1, 2], "0 and 1 only for loss='log_loss', got 2"),
        ([0, 0.5], "0 and 1 only for loss='log_loss', got 0.5"),
        ([0, 0], "two classes .* got only 0"),
        ([1, 1], "two classes .* got only 1"),
    ],
)
def test_targets_that_log_loss_cannot_take(targets, message):
    with pytest.raises(ValueError, match=message):
        gradients("log_loss", targets, np.zeros(len(targets)))


def test_unknown_loss():
    with pytest.raises(
        ValueError, match=r"loss must be one of squared_error, absolute_error, .*; got 'l1'"
    ):
        gradients("l1", [0, 1], [0, 0])
    with pytest.raises(ValueError, match="got 'l1'"):
        _core.metric_name("l1")


def test_names():
    assert {name: _core.metric_name(name) for name in _core.loss_names()} == {
        "squared_error": "rmse",
        "absolute_error": "mae",
        "huber": "mae",
        "quantile": "pinball",
        "poisson": "poisson_deviance",
        "gamma": "gamma_deviance",
        "tweedie": "tweedie_deviance",
        "mape": "mape",
        "log_loss": "log_loss",
        "cross_entropy": "cross_entropy",
        "lambdarank": "ndcg@10",
        "listnet": "ndcg@10",
    }
    assert _core.metric_name("custom") == ""
