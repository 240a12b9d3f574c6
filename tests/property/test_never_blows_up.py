"""Linear leaves never blow up: bounded, finite, and no worse than constant ones where data are bad.

The benchmark benchmarks/trouble plants more kinds of trouble, also in real data.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import log_loss

from plboost import Dataset, PLBoostClassifier, train
from tests.problems import STEADY, FloatArray, Problem, small_problems
from tests.property.boosters import FITTINGS, fit, loss_of, raw_scores

LIMIT = 1.02
# Where linear leaves still lose more than that, and how much they may lose.
WEAK = 1.12
WEAK_CASES = {("more_features_than_rows", "steps")}
SEEDS = 5
N_TRAIN, N_TEST, N_FEATURES = 500, 2000, 6

WILD = st.sampled_from([np.nan, np.inf, -np.inf, 1e30, -1e30, 1e300, -1e300]) | st.floats()
MODELS = {
    "fitting": st.sampled_from(FITTINGS),
    "refit_leaves": st.booleans(),
    "min_samples_leaf": st.sampled_from([0.0, 1.0, 5.0]),
    "l2": st.sampled_from([0.0, 1e-9, 0.1]),
    "learning_rate": st.sampled_from([0.1, 1.0]),
}


@st.composite
def troubled_problems(draw):
    """Odd columns, some of their cells replaced by wild values, and a target of heavy tails."""
    problem = draw(small_problems() | small_problems(binary=True))
    X, y = problem.X.copy(), problem.y.copy()
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    for value in draw(st.lists(st.sampled_from([1e30, -1e30, 1e9, np.inf, np.nan]), max_size=4)):
        X[rng.integers(X.shape[0]), rng.integers(X.shape[1])] = value
    if loss_of(problem) == "squared_error" and draw(st.booleans()):
        y += rng.standard_t(2, size=len(y))
    return Problem(X, y, problem.weight)


def rows_far_and_wide(draw, X: FloatArray) -> FloatArray:
    """Rows of wild values, training rows with a wild cell, and training rows moved far away."""
    n_features = X.shape[1]
    wild = draw(arrays(np.float64, (6, n_features), elements=WILD))
    cells = X[np.arange(6) % len(X)]
    cells[:, draw(st.integers(0, n_features - 1))] = wild[:, 0]
    # Beyond the largest float a row becomes infinite, which is far away too.
    with np.errstate(over="ignore", invalid="ignore"):
        far = [X * factor for factor in (-1e3, 1e3, 1e12, 1e30)]
    return np.vstack([wild, cells, X, *far])


@settings(STEADY, max_examples=120)
@given(problem=troubled_problems(), data=st.data(), **MODELS)
def test_no_score_leaves_the_sums_of_the_smallest_and_largest_leaf_limits(problem, data, **params):
    booster = fit(problem, loss=loss_of(problem), n_estimators=10, **params)
    scores = raw_scores(booster, rows_far_and_wide(data.draw, problem.X))
    # One by one, as prediction adds them: rounding of sums keeps their order.
    low = high = booster.base_score
    for index in range(booster.n_trees):
        leaves = booster.tree(index).leaves
        low += min(leaf.low for leaf in leaves)
        high += max(leaf.high for leaf in leaves)
    assert np.isfinite([low, high]).all()
    assert (low <= scores).all()
    assert (scores <= high).all()


@settings(STEADY, max_examples=80)
@given(
    problem=troubled_problems(),
    data=st.data(),
    extrapolation=st.sampled_from(["clamp", "linear"]),
    **MODELS,
)
def test_every_prediction_is_finite(problem, data, **params):
    loss = loss_of(problem)
    booster = fit(problem, loss=loss, n_estimators=10, **params)
    X = rows_far_and_wide(data.draw, problem.X)
    assert np.isfinite(raw_scores(booster, X)).all()
    predictions = booster.predict(X, n_jobs=1)
    assert np.isfinite(predictions).all()
    if loss == "log_loss":
        assert ((predictions >= 0) & (predictions <= 1)).all()


@dataclass(frozen=True)
class Trial:
    """Training and test rows, and the parameters that both models get."""

    X: FloatArray
    y: FloatArray
    X_test: FloatArray
    y_test: FloatArray
    params: dict[str, Any]

    def with_features(self, change: Callable[[FloatArray], FloatArray]) -> Trial:
        both = change(np.vstack([self.X, self.X_test]))
        return replace(self, X=both[: len(self.X)], X_test=both[len(self.X) :])

    def with_targets(self, change: Callable[[FloatArray], FloatArray]) -> Trial:
        return replace(self, y=change(self.y), y_test=change(self.y_test))

    def error(self, **params: Any) -> float:
        dataset = Dataset(self.X, self.y, n_jobs=1)
        booster = train({**self.params, **params}, dataset, n_jobs=1)
        scores = raw_scores(booster, self.X_test)
        if booster.loss == "log_loss":
            return float(np.mean(np.logaddexp(0.0, (1 - 2 * self.y_test) * scores)))
        return float(np.sqrt(np.mean((scores - self.y_test) ** 2)))


def smooth(X: FloatArray) -> FloatArray:
    """Where lines help."""
    return np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + np.abs(X[:, 3])


def steps(X: FloatArray) -> FloatArray:
    """Where lines are of no use: constant leaves fit it as well as can be."""
    return (X[:, :4] > [0.0, 0.5, -0.5, 0.2]) @ np.array([1.0, 0.7, 0.5, 0.3])


def noise(X: FloatArray) -> FloatArray:
    """Where nothing helps."""
    return np.zeros(len(X))


TARGETS = {f.__name__: f for f in (smooth, steps, noise)}


@functools.cache
def features(seed: int) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(N_TRAIN + N_TEST, N_FEATURES))


def split(X: FloatArray, y: FloatArray, **params: Any) -> Trial:
    return Trial(X[:N_TRAIN], y[:N_TRAIN], X[N_TRAIN:], y[N_TRAIN:], params)


def ratio(make_trial: Callable[[int], Trial]) -> float:
    """Return the mean test error of linear leaves over that of constant ones."""
    trials = [make_trial(seed) for seed in range(SEEDS)]
    linear = sum(trial.error() for trial in trials)
    constant = sum(trial.error(max_regressors=0) for trial in trials)
    return 1.0 if linear == constant else float(np.divide(linear, constant))


Plant = Callable[[Trial, np.random.Generator], Trial]
TROUBLE: dict[str, Plant] = {}


def trouble(plant: Plant) -> Plant:
    TROUBLE[plant.__name__] = plant
    return plant


@trouble
def none(trial, rng):
    return trial


@trouble
def min_samples_leaf_1(trial, rng):
    return replace(trial, params={"min_samples_leaf": 1})


@trouble
def heavy_tails_in_y(trial, rng):
    return trial.with_targets(lambda y: y + 0.5 * rng.standard_t(2, size=len(y)))


@trouble
def heavy_tails_in_y_of_the_training_rows(trial, rng):
    return replace(trial, y=trial.y + 0.5 * rng.standard_t(2, size=len(trial.y)))


@trouble
def heavy_tails_in_x(trial, rng):
    # The order of the values stays, so that constant leaves see no difference.
    return trial.with_features(lambda X: np.sinh(1.5 * X) * np.abs(X))


@trouble
def one_cell_of_1e30(trial, rng):
    X = trial.X.copy()
    X[rng.integers(len(X)), 1] = 1e30
    return replace(trial, X=X)


@trouble
def cells_of_1e30_in_the_test_rows(trial, rng):
    X = trial.X_test.copy()
    X[:: len(X) // 20, 1] = 1e30
    return replace(trial, X_test=X)


@trouble
def rows_beyond_the_training_range(trial, rng):
    inside, beyond = trial.X[:, 1] <= 1, trial.X_test[:, 1] > 1
    return replace(
        trial,
        X=trial.X[inside],
        y=trial.y[inside],
        X_test=trial.X_test[beyond],
        y_test=trial.y_test[beyond],
    )


@trouble
def duplicated_columns(trial, rng):
    return trial.with_features(lambda X: np.hstack([X, X]))


@trouble
def collinear_columns(trial, rng):
    def add_sums(X):
        sums = X @ rng.normal(size=(N_FEATURES, N_FEATURES))
        return np.hstack([X, sums + 1e-6 * rng.normal(size=sums.shape)])

    return trial.with_features(add_sums)


@trouble
def more_features_than_rows(trial, rng):
    few = replace(trial, X=trial.X[:100], y=trial.y[:100])
    return few.with_features(lambda X: np.hstack([X, rng.normal(size=(len(X), 110))]))


@trouble
def binary_features(trial, rng):
    return trial.with_features(lambda X: (X > 0).astype(float))


@trouble
def constant_target(trial, rng):
    return trial.with_targets(lambda y: np.full(len(y), 0.1))


@trouble
def target_of_scale_1e_minus_12(trial, rng):
    return trial.with_targets(lambda y: y * 1e-12)


@trouble
def target_of_scale_1e12(trial, rng):
    return trial.with_targets(lambda y: y * 1e12)


@trouble
def dates_in_seconds(trial, rng):
    return trial.with_features(lambda X: 1.7e9 + 3600 * X)


# KNOWN WEAKNESS, above LIMIT at the defaults (a ratio of 1.08 over 12 seeds):
#   more_features_than_rows-steps: it is the splits that are chosen for lines of noise.
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", TROUBLE)
def test_linear_leaves_lose_at_most_two_percent(name, target):
    def make_trial(seed):
        rng = np.random.default_rng([seed, 1])
        X = features(seed)
        y = TARGETS[target](X) + 0.3 * rng.normal(size=len(X))
        return TROUBLE[name](split(X, y), rng)

    assert ratio(make_trial) <= (WEAK if (name, target) in WEAK_CASES else LIMIT)


CLASSES = {
    "even": lambda X, rng: smooth(X) + rng.logistic(size=len(X)) > 0.8,
    "rare": lambda X, rng: smooth(X) + rng.logistic(size=len(X)) > 5,
    "coin": lambda X, rng: rng.random(len(X)) < 0.5,
    "separable": lambda X, rng: X[:, 0] + X[:, 1] > 0,
}


@pytest.mark.parametrize("name", CLASSES)
def test_linear_leaves_lose_at_most_two_percent_of_log_loss(name):
    def make_trial(seed):
        X = features(seed)
        y = CLASSES[name](X, np.random.default_rng([seed, 1]))
        return split(X, y.astype(float), loss="log_loss")

    assert ratio(make_trial) <= LIMIT


def test_a_rare_class_costs_less_than_its_share():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 5))
    score = X[:, 0] + np.sin(2 * X[:, 1]) * X[:, 2] + 0.3 * rng.normal(size=len(X))
    y = score > np.quantile(score, 0.998)
    model = PLBoostClassifier(n_estimators=30, learning_rate=0.3, max_leaves=31, random_state=0)
    p = model.fit(X[:30_000], y[:30_000]).predict_proba(X[30_000:])
    share = np.full(10_000, y[:30_000].mean())
    assert log_loss(y[30_000:], p) < 0.9 * log_loss(y[30_000:], share)
