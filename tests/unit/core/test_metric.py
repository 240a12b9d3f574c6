from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss, root_mean_squared_error

from plboost._core import stages
from tests.problems import STEADY


@st.composite
def measured_rows(draw):
    n = draw(st.integers(1, 50))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = None
    if draw(st.booleans()):
        weights = rng.integers(0, 4, size=n).astype(float)
        weights[0] = 1.0
    return rng.normal(size=n) * draw(st.sampled_from([0.01, 1.0, 20.0])), rng, weights


@settings(STEADY, max_examples=150)
@given(measured_rows())
def test_rmse_is_that_of_scikit_learn(rows):
    scores, rng, weights = rows
    y = rng.normal(size=len(scores))
    expected = root_mean_squared_error(y, scores, sample_weight=weights)
    assert stages.evaluate("rmse", scores, y, weights) == pytest.approx(expected, rel=1e-12)


@settings(STEADY, max_examples=150)
@given(measured_rows())
def test_log_loss_is_that_of_scikit_learn(rows):
    scores, rng, weights = rows
    y = rng.integers(0, 2, size=len(scores)).astype(float)
    # Scores within 30: beyond 36, scikit-learn sees p = 1 and clips it.
    scores = np.clip(scores, -30, 30)
    # Both columns, because 1 - p has few digits left where p is near 1.
    probabilities = np.column_stack([1 / (1 + np.exp(scores)), 1 / (1 + np.exp(-scores))])
    expected = log_loss(y, probabilities, sample_weight=weights, labels=[0, 1])
    got = stages.evaluate("log_loss", scores, y, weights)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("score", "target", "expected"),
    [(800, 1, 0.0), (800, 0, 800.0), (-800, 0, 0.0), (-800, 1, 800.0), (1e300, 0, 1e300)],
)
def test_log_loss_far_out(score, target, expected):
    got = stages.evaluate("log_loss", np.array([float(score)]), np.array([float(target)]), None)
    assert got == expected


def test_rmse_by_hand():
    got = stages.evaluate("rmse", np.array([1.0, 2.0]), np.array([1.0, 6.0]), np.array([3.0, 1.0]))
    assert got == 2.0


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_rmse_neither_overflows_nor_vanishes(scale):
    got = stages.evaluate("rmse", np.array([3.0, 4.0]) * scale, np.zeros(2), None)
    assert got == pytest.approx(np.sqrt(12.5) * scale, rel=1e-12, abs=0.0)


def test_unknown_metric():
    with pytest.raises(ValueError, match=r"metric must be one of rmse, mae, .*; got 'r2'"):
        stages.evaluate("r2", np.zeros(1), np.zeros(1), None)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="targets must have 2 elements, got 1"):
        stages.evaluate("rmse", np.zeros(2), np.zeros(1), None)
    with pytest.raises(ValueError, match="one value per row of X: got 3 values for 2 rows"):
        stages.evaluate("rmse", np.zeros(2), np.zeros(2), np.ones(3))
    with pytest.raises(ValueError, match="one value per row of X: got 0 values for 2 rows"):
        stages.evaluate("rmse", np.zeros(2), np.zeros(2), np.ones(0))
