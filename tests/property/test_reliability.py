"""Probabilities mean what they say: of rows given p, a part p is of the class."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV

from plboost import PLBoostClassifier

SETTING = {"n_estimators": 40, "max_leaves": 6, "random_state": 0}
N_ROWS, N_NEW, N_BINS = 6000, 20000, 10


def true_probability(X):
    return 1 / (1 + np.exp(-(2 * X[:, 0] + np.where(X[:, 1] > 0, 1.5, -1.5))))


def draw(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n_rows, 3))
    return X, (rng.uniform(size=n_rows) < true_probability(X)).astype(int)


def calibration_error(given, expected):
    """Return the mean distance of what was given and expected, over bins of as many rows."""
    bins = np.array_split(np.argsort(given, kind="stable"), N_BINS)
    return np.mean([abs(given[rows].mean() - expected[rows].mean()) for rows in bins])


@pytest.fixture(scope="module")
def model():
    return PLBoostClassifier(**SETTING).fit(*draw(N_ROWS, seed=0))


def test_probabilities_are_reliable(model):
    X, _ = draw(N_NEW, seed=1)
    given, truth = model.predict_proba(X)[:, 1], true_probability(X)
    # A bin holds 600 training rows: their frequency has a standard deviation of up to 0.02.
    assert calibration_error(given, truth) < 0.02
    assert np.sqrt(np.mean((given - truth) ** 2)) < 0.06
    # The measure sees what it is to see: probabilities that are too sure of themselves.
    too_sure = given**2 / (given**2 + (1 - given) ** 2)
    assert calibration_error(too_sure, truth) > 0.04


def test_probabilities_of_three_classes_are_reliable():
    def probabilities(X):
        scores = np.exp(np.column_stack([2 * X[:, 0], X[:, 1], np.zeros(len(X))]))
        return scores / scores.sum(axis=1, keepdims=True)

    rng = np.random.default_rng(2)
    X, new = rng.uniform(-1, 1, size=(N_ROWS, 3)), rng.uniform(-1, 1, size=(N_NEW, 3))
    sums = probabilities(X).cumsum(axis=1)
    y = (rng.uniform(size=(N_ROWS, 1)) > sums[:, :2]).sum(axis=1)
    given = PLBoostClassifier(**SETTING).fit(X, y).predict_proba(new)
    for k in range(3):
        assert calibration_error(given[:, k], probabilities(new)[:, k]) < 0.025


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_overfitted_probabilities_are_mended_by_scikit_learn(method):
    X, y = draw(N_ROWS, seed=0)
    new, _ = draw(N_NEW, seed=1)
    wild = PLBoostClassifier(
        n_estimators=200,
        learning_rate=0.5,
        min_samples_leaf=5,
        max_leaves=15,
        mean_shrinkage=0.0,
        random_state=0,
    )
    mended = CalibratedClassifierCV(wild, method=method, cv=3).fit(X, y).predict_proba(new)[:, 1]
    raw = wild.fit(X, y).predict_proba(new)[:, 1]
    truth = true_probability(new)
    assert calibration_error(raw, truth) > 0.04  # twice what is reliable
    assert calibration_error(mended, truth) < 0.5 * calibration_error(raw, truth)
