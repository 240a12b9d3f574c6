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
    loss = LOSSES[name]
    initial, unit, gain_scale, g, h = _core.stages.gradients(name, y, w, scores)
    size = float(np.max(np.abs(y)))
    assert_allclose(initial, loss.initial_score(y, w), rtol=1e-12, atol=1e-13 * size)
    assert unit == loss.unit(y, w)
    if loss.gain_unit(y, w) > 0.0:  # a constant target leaves no gain to be measured
        assert_allclose(gain_scale, loss.gain_unit(y, w), rtol=1e-9)
    expected_g, expected_h = loss.gradients(scores, y, w, unit)
    # Gradients of probabilities near 0 and 1 cancel in float64 before they are rounded.
    smallest = 1e-14 * float(np.max(w))
    atol = 0.0 if name == "squared_error" else smallest
    assert_allclose(g, expected_g, rtol=ULP, atol=atol)
    assert_allclose(h, expected_h, rtol=ULP, atol=atol)


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
        expected = LOSSES[name].link(scores)
        assert_allclose(_core.apply_link(name, scores), expected, rtol=1e-14, atol=1e-300)


def test_both_know_the_same_losses():
    assert sorted(_core.loss_names()) == sorted(LOSSES)


@pytest.mark.parametrize("y", [np.zeros(4), np.ones(4)])
def test_one_class_alone_has_no_odds(y):
    with pytest.raises(ValueError, match="both"):
        LOSSES["log_loss"].initial_score(y, np.ones(4))
    with pytest.raises(ValueError, match="y"):
        _core.stages.gradients("log_loss", y, np.ones(4), np.zeros(4))
