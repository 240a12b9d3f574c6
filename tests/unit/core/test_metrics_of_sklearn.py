"""Metrics equal those of scikit-learn, with weights and ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from plboost import _core
from plboost._core import stages
from tests.problems import STEADY


@st.composite
def measured(draw, target):
    """Scores, targets and weights; scores and targets often coincide or tie."""
    n = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = np.round(rng.normal(size=n), draw(st.sampled_from([0, 1, 6])))
    weights = None
    if draw(st.booleans()):
        weights = rng.integers(0, 4, size=n) / 2
        weights[:2] = 1.0
    return scores, target(rng, n), weights


def numbers(rng, n):
    return np.round(rng.normal(size=n), 1)


def counts(rng, n):
    return rng.integers(0, 4, size=n).astype(float)


def classes(rng, n):
    y = rng.integers(0, 2, size=n).astype(float)
    y[:2] = [0, 1]
    return y


def check(name, target, expected, **parameters):
    @settings(STEADY, max_examples=80)
    @given(measured(target))
    def compare(rows):
        scores, y, weights = rows
        got = stages.evaluate(name, scores, y, weights, **parameters)
        assert got == pytest.approx(expected(y, scores, weights), rel=1e-10, abs=1e-12)

    compare()


def test_mae():
    check("mae", numbers, lambda y, s, w: metrics.mean_absolute_error(y, s, sample_weight=w))


def test_mae_after_the_link():
    check(
        "mae",
        counts,
        lambda y, s, w: metrics.mean_absolute_error(y, np.exp(s), sample_weight=w),
        loss="poisson",
    )


def test_mape():
    check(
        "mape",
        numbers,
        lambda y, s, w: metrics.mean_absolute_percentage_error(y, s, sample_weight=w),
    )


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.9])
def test_pinball(alpha):
    def expected(y, s, w):
        return metrics.mean_pinball_loss(y, s, sample_weight=w, alpha=alpha)

    check("pinball", numbers, expected, loss="quantile", alpha=[alpha])


@pytest.mark.parametrize(
    ("name", "loss", "power"),
    [
        ("poisson_deviance", "poisson", 1),
        ("gamma_deviance", "gamma", 2),
        ("tweedie_deviance", "tweedie", 1.2),
        ("tweedie_deviance", "tweedie", 1.9),
    ],
)
def test_deviances(name, loss, power):
    def expected(y, s, w):
        return metrics.mean_tweedie_deviance(y, np.exp(s), sample_weight=w, power=power)

    target = (lambda rng, n: counts(rng, n) + 0.5) if loss == "gamma" else counts
    check(name, target, expected, loss=loss, power=power if loss == "tweedie" else None)


def test_error():
    check("error", classes, lambda y, s, w: 1 - metrics.accuracy_score(y, s > 0, sample_weight=w))


def test_auc():
    check("auc", classes, lambda y, s, w: metrics.roc_auc_score(y, s, sample_weight=w))


def test_average_precision():
    check(
        "average_precision",
        classes,
        lambda y, s, w: metrics.average_precision_score(y, s, sample_weight=w),
    )


def test_more_is_better_for_some():
    higher = [name for name in _core.metric_names() if _core.higher_is_better(name)]
    assert higher == ["auc", "average_precision", "ndcg", "map"]


@pytest.mark.parametrize(
    ("metric", "loss"),
    [
        ("auc", "squared_error"),
        ("rmse", "log_loss"),
        ("pinball", "absolute_error"),
        ("tweedie_deviance", "poisson"),
        ("poisson_deviance", "huber"),
        ("log_loss", "cross_entropy"),
    ],
)
def test_metrics_that_do_not_fit(metric, loss):
    with pytest.raises(ValueError, match=f"the metric {metric} does not fit loss='{loss}'. Use"):
        _core.check_metric(metric, loss)


@pytest.mark.parametrize(
    ("metric", "loss"), [("rmse", "poisson"), ("mae", "quantile"), ("poisson_deviance", "gamma")]
)
def test_metrics_that_fit(metric, loss):
    _core.check_metric(metric, loss)
