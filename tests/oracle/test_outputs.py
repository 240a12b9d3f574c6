"""Gradients and metrics of several outputs against the reference, the metric and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import log_loss, root_mean_squared_error

from plboost import _core
from plboost._core import stages
from tests.problems import STEADY
from tests.reference.outputs import outputs_of, softmax


def flat(columns):
    return np.ascontiguousarray(columns.T).ravel()


@st.composite
def rows(draw, *, soft):
    n_outputs = draw(st.integers(2 if soft else 3, 6))
    n = draw(st.integers(n_outputs, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = rng.normal(size=(n, n_outputs)) * draw(st.sampled_from([0.1, 1.0, 8.0]))
    if soft:
        targets = rng.dirichlet(np.full(n_outputs, 0.5), size=n)
    else:
        targets = rng.integers(0, n_outputs, size=n).astype(float)
        targets[:n_outputs] = np.arange(n_outputs)
    weights = rng.integers(1, 5, size=n) / 2 if draw(st.booleans()) else np.ones(n)
    return scores, targets, weights


@pytest.mark.parametrize("loss", ["log_loss", "cross_entropy"])
def test_softmax_is_that_of_the_reference(loss):
    @settings(STEADY, max_examples=100)
    @given(rows(soft=loss == "cross_entropy"))
    def check(drawn):
        scores, targets, weights = drawn
        initial, g, h = stages.joint_gradients(loss, flat(targets), weights, flat(scores))
        plain = outputs_of(loss, targets, weights)
        expected_g, expected_h = plain.gradients(scores)
        assert_allclose(initial, plain.initial_scores, rtol=1e-12, atol=1e-12)
        assert_allclose(g, flat(expected_g), rtol=1e-5, atol=1e-7)
        assert_allclose(h, flat(expected_h), rtol=1e-5, atol=1e-7)
        assert_allclose(_core.apply_link(loss, scores), softmax(scores), rtol=1e-13)

    check()


@settings(STEADY, max_examples=100)
@given(rows(soft=False))
def test_log_loss_of_classes_is_that_of_scikit_learn(drawn):
    scores, targets, weights = drawn
    got = stages.evaluate_outputs("log_loss", flat(scores), targets, weights)
    labels = list(range(scores.shape[1]))
    expected = log_loss(targets, softmax(scores), sample_weight=weights, labels=labels)
    assert got == pytest.approx(expected, rel=1e-9)


@settings(STEADY, max_examples=50)
@given(rows(soft=True))
def test_gradients_are_derivatives_of_the_metric(drawn):
    scores, targets, _ = drawn
    n, n_outputs = scores.shape
    _, g, h = stages.joint_gradients("cross_entropy", flat(targets), np.ones(n), flat(scores))
    row, step = n // 2, 1e-4
    target, one = np.ascontiguousarray(targets[row]), np.ones(1)

    def loss_of(shift):
        return stages.evaluate_outputs("cross_entropy", scores[row] + shift, target, one)

    for k in range(n_outputs):
        low, middle, high = (loss_of(d * step * np.eye(n_outputs)[k]) for d in (-1, 0, 1))
        assert g[k * n + row] == pytest.approx((high - low) / (2 * step), abs=1e-6)
        curvature = (high - 2 * middle + low) / step**2 * n_outputs / (n_outputs - 1)
        assert h[k * n + row] == pytest.approx(max(curvature, abs(g[k * n + row]) / 8), abs=1e-5)


@settings(STEADY, max_examples=50)
@given(rows(soft=True))
def test_rmse_of_several_outputs_is_that_of_scikit_learn(drawn):
    scores, targets, weights = drawn
    got = stages.evaluate_outputs("rmse", flat(scores), flat(targets), weights)
    expected = root_mean_squared_error(targets, scores, sample_weight=weights)
    assert got == pytest.approx(expected, rel=1e-9)


@settings(STEADY, max_examples=100)
@given(seed=st.integers(0, 1000), scale=st.sampled_from([0.1, 1.0, 30.0]))
def test_cross_entropy_of_one_output(seed, scale):
    rng = np.random.default_rng(seed)
    y, w, scores = rng.random(9), rng.uniform(0.5, 2, size=9), scale * rng.normal(size=9)
    y[:2] = 0.0, 1.0
    initial, g, h = stages.joint_gradients("cross_entropy", y, w, scores)
    plain = outputs_of("cross_entropy", y, w)
    expected_g, expected_h = plain.gradients(scores[:, None])
    assert_allclose(initial, plain.initial_scores, rtol=1e-12, atol=1e-12)
    assert_allclose(g, expected_g[:, 0], rtol=1e-5, atol=1e-7)
    assert_allclose(h, expected_h[:, 0], rtol=1e-5, atol=1e-7)
    p = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    expected = np.average(-y * np.log(p) - (1 - y) * np.log1p(-p), weights=w)
    if scale < 30:
        got = stages.evaluate_outputs("cross_entropy", scores, y, w)
        assert got == pytest.approx(expected, rel=1e-9)
