"""Initial scores, units, gradients and links of the core equal the reference's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost import _core
from tests.problems import STEADY
from tests.reference.all_losses import CASES
from tests.reference.losses import LOSSES
from tests.reference.weighted import weighted_mean_std

WEIGHTS = st.floats(1e-3, 1e3) | st.integers(1, 5).map(float)
# The largest difference of a float32 and the float64 it was rounded from, and a little.
ULP = 1.2e-7


def rows(target):
    return st.lists(st.tuples(target, WEIGHTS, st.floats(-50, 50)), min_size=1, max_size=40)


def columns(data):
    return (np.array(column, dtype=float) for column in zip(*data, strict=True))


def compare(name, y, w, scores):
    case = CASES[name]
    loss, alpha = case.loss, [] if case.alpha is None else [case.alpha]
    initial, unit, gain_scale, g, h = _core.stages.gradients(
        loss.name, y, w, scores, alpha=alpha, power=case.power
    )
    size = float(np.max(np.abs(y)))
    assert_allclose(initial, loss.initial_score(y, w), rtol=1e-12, atol=1e-13 * size)
    if loss.adapted_unit is None:
        assert unit == loss.unit(y, w)
    else:
        assert_allclose(unit, loss.unit_at(scores, y, w), rtol=1e-12)
    if loss.gain_unit(y, w) > 0.0:  # a constant target leaves no gain to be measured
        assert_allclose(gain_scale, loss.gain_unit(y, w), rtol=1e-9)
    expected_g, expected_h = loss.gradients(scores, y, w, unit)
    # Gradients of probabilities near 0 and 1 cancel in float64 before they are rounded.
    # So do those of the Tweedie family near the target.
    cancels = name in ("log_loss", "cross_entropy") or loss.observed
    smallest = 1e-14 * float(np.max(w)) * (float(np.max(expected_h / w)) if loss.observed else 1.0)
    assert_allclose(g, expected_g, rtol=2 * ULP, atol=smallest if cancels else 0.0)
    assert_allclose(h, expected_h, rtol=2 * ULP, atol=smallest if cancels else 0.0)


@settings(STEADY, max_examples=400)
@given(data=rows(st.floats(-100, 100)), scale=st.sampled_from([1e-140, 1e-3, 1.0, 1e6, 1e140]))
def test_squared_error(data, scale):
    y, w, scores = columns(data)
    y = y * scale
    mean, std = weighted_mean_std(y, w)
    # As far from the target as scores come to be.
    scores = mean + std * scores
    # A constant target up to rounding: its deviation, and so the unit, is rounding itself.
    assume(std == 0.0 or std > 1e-9 * max(abs(mean), 1e-300))
    if std > 0.0:
        half = abs(math.log2(std)) % 1.0
        assume(abs(half - 0.5) > 1e-9)
    compare("squared_error", y, w, scores)


@settings(STEADY, max_examples=400)
@given(data=rows(st.sampled_from([0.0, 1.0])))
def test_log_loss(data):
    y, w, scores = columns([(0.0, 1.0, 0.0), (1.0, 2.0, 0.5), *data])
    compare("log_loss", y, w, scores)


@pytest.mark.parametrize(
    "name", ["absolute_error", "huber", "huber 0.5", "quantile 0.1", "quantile 0.9"]
)
def test_losses_of_residuals(name):
    @settings(STEADY, max_examples=150)
    @given(data=rows(st.floats(-100, 100) | st.integers(-3, 3).map(float)))
    def check(data):
        y, w, scores = columns(data)
        compare(name, y, w, np.round(scores))

    check()


@settings(STEADY, max_examples=150)
@given(data=rows(st.floats(0.01, 100) | st.floats(-100, -0.01)))
def test_mape(data):
    compare("mape", *columns(data))


@pytest.mark.parametrize("name", ["poisson", "gamma", "tweedie", "tweedie 1.2"])
def test_losses_of_the_tweedie_family(name):
    smallest = 0.01 if name == "gamma" else 0.0

    @settings(STEADY, max_examples=150)
    @given(data=rows(st.floats(smallest, 100) | st.integers(1, 5).map(float)))
    def check(data):
        # Two targets that differ: of equal ones the dispersion is 0.
        y, w, scores = columns([(1.0, 1.0, 0.0), (3.0, 2.0, 0.5), *data])
        compare(name, y, w, scores / 10)

    check()


@settings(STEADY, max_examples=200)
@given(data=rows(st.floats(0, 1)))
def test_cross_entropy(data):
    y, w, scores = columns([(0.25, 1.0, 0.0), (1.0, 2.0, 0.5), *data])
    compare("cross_entropy", y, w, scores)


@settings(STEADY, max_examples=200)
@given(scores=st.lists(st.floats(-800, 800), max_size=40).map(np.array))
def test_links(scores):
    scores = scores.astype(float)
    for name in _core.loss_names():
        if name in ("cross_entropy", "lambdarank", "listnet"):
            continue
        log_link = name in ("poisson", "gamma", "tweedie")
        expected = CASES[name].loss.link(np.minimum(scores, 700.0) if log_link else scores)
        assert_allclose(_core.apply_link(name, scores), expected, rtol=1e-14, atol=1e-300)


def test_both_know_the_same_losses():
    known = {case.loss.name for case in CASES.values()} | {"cross_entropy", "lambdarank", "listnet"}
    assert set(_core.loss_names()) == known


@pytest.mark.parametrize("y", [np.zeros(4), np.ones(4)])
def test_one_class_alone_has_no_odds(y):
    with pytest.raises(ValueError, match="both"):
        LOSSES["log_loss"].initial_score(y, np.ones(4))
    with pytest.raises(ValueError, match="y"):
        _core.stages.gradients("log_loss", y, np.ones(4), np.zeros(4))
