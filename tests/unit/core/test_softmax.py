from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost import _core
from plboost._core import stages
from tests.problems import STEADY


def gradients(targets, scores, weights=None, loss="log_loss"):
    """Return initial scores and, by row and output, g and h."""
    scores = np.asarray(scores, dtype=float)
    targets = np.asarray(targets, dtype=float)
    weights = np.ones(len(targets)) if weights is None else np.asarray(weights, dtype=float)
    initial, g, h = stages.joint_gradients(loss, targets.T.ravel(), weights, scores.T.ravel())
    return initial, g.reshape(scores.T.shape).T, h.reshape(scores.T.shape).T


def test_three_classes_by_hand():
    initial, g, h = gradients([0, 1, 2, 2], np.zeros((4, 3)))
    assert_allclose(initial, np.log([1 / 4, 1 / 4, 1 / 2]))
    third = np.float32(1 / 3)
    assert_allclose(g[0], [-2 * third, third, third])
    assert_allclose(g[3], [third, third, -2 * third])
    # p (1 - p) K / (K - 1) = 1/3 * 2/3 * 3/2
    assert_allclose(h, np.full((4, 3), third))


def test_weights():
    initial, g, h = gradients([0, 1, 2], np.zeros((3, 3)), [1, 2, 5])
    assert_allclose(initial, np.log([1 / 8, 2 / 8, 5 / 8]))
    assert_allclose(g[2], 5 * np.array([1 / 3, 1 / 3, -2 / 3]), rtol=1e-6)
    assert_allclose(h[1], 2 * np.full(3, 1 / 3), rtol=1e-6)


@pytest.mark.parametrize("gap", [40.0, 80.0])
def test_a_sure_class_keeps_its_small_gradient(gap):
    _, g, h = gradients([0, 1, 2], np.array([[gap, 0, 0], [gap, 0, 0], [0, 0, gap]]))
    small = np.exp(-gap)
    assert_allclose(g[0], [-2 * small, small, small], rtol=1e-6)
    assert_allclose(h[0], 1.5 * np.array([2 * small, small, small]), rtol=1e-6)
    assert_allclose(g[1], [1, -1, small], rtol=1e-6)


@settings(STEADY, max_examples=100)
@given(scores=st.lists(st.floats(-1e150, 1e150), min_size=3, max_size=3))
def test_gradients_never_leave_their_range(scores):
    _, g, h = gradients([0, 1, 2], np.array([scores] * 3))
    assert (np.abs(g) <= 1).all()
    assert ((h >= 0) & (h <= 0.375)).all()
    p = _core.apply_link("log_loss", np.array([scores]))
    assert p.shape == (1, 3)
    assert p.sum() == pytest.approx(1.0)


def test_probabilities_of_zero_and_one_are_classes():
    rng = np.random.default_rng(0)
    classes, scores = np.arange(12) % 4, rng.normal(size=(12, 4))
    by_class = gradients(classes, scores)
    by_row = gradients(np.eye(4)[classes], scores, loss="cross_entropy")
    for one, other in zip(by_class, by_row, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(
    ("loss", "targets", "message"),
    [
        ("log_loss", [0, 1, 2.5], "y must number the classes 0, 1, 2 and so on .* got 2.5"),
        ("log_loss", [0, -1, 2], "y must number the classes .* got -1"),
        ("log_loss", [0, 1, 1e150], r"got 1e\+150 in 3 rows"),
        ("log_loss", [0, 2, 2, 0], "every class from 0 to 2 .* got nothing of class 1"),
        ("log_loss", np.eye(3), "one column for loss='log_loss'.* got 3 columns"),
        ("cross_entropy", [0.5, 1.5], "y must lie between 0 and 1 .* got 1.5"),
        ("cross_entropy", [0.0, 0.0], "must not be all 0"),
        ("cross_entropy", [1.0, 1.0], "must not be all 1"),
        ("cross_entropy", [[0.5, 0.6], [0.5, 0.5]], "must sum to 1 .* sums to 1.1"),
        ("cross_entropy", [[-0.5, 1.5], [0.5, 0.5]], "must hold probabilities .* got -0.5"),
        ("cross_entropy", [[0.0, 1.0], [0.0, 1.0]], "got nothing of class 0"),
    ],
)
def test_wrong_targets_are_named(loss, targets, message):
    targets = np.array(targets, dtype=float)
    with pytest.raises(ValueError, match=message):
        stages.joint_gradients(loss, targets.T.ravel(), np.ones(len(targets)), np.zeros(1))


def test_the_metric_refuses_what_is_no_class():
    for wrong in (-1.0, 3.0, np.nan):
        with pytest.raises(ValueError, match="must be a class from 0 to 2"):
            stages.evaluate_outputs("log_loss", np.zeros(3), np.array([wrong]), np.ones(1))


def test_the_metric_far_out():
    got = stages.evaluate_outputs(
        "log_loss", np.array([900.0, 0.0, -900.0]), np.array([2.0]), np.ones(1)
    )
    assert got == 1800.0
