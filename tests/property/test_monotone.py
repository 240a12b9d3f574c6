"""Monotone features: not one violation on any grid, exactly."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plboost import Dataset, train
from tests.problems import STEADY, Problem, small_problems
from tests.property.boosters import FITTINGS, PENALTIES, fit, loss_of, raw_scores

MODELS = {
    "fitting": st.sampled_from(FITTINGS),
    "penalty": st.sampled_from(PENALTIES),
    "repeated": st.sampled_from(["redundant", "refit"]),
    "refit_leaves": st.booleans(),
    "slope_shrinkage": st.sampled_from([0.0, 1.0]),
    "mean_shrinkage": st.sampled_from([0.0, 3.0, 1e6]),
    "extrapolation": st.sampled_from(["clamp", "linear"]),
    "max_regressors": st.sampled_from([5, 2, 0]),
    "max_leaves": st.sampled_from([4, 12]),
    "subsample": st.sampled_from([1.0, 0.7]),
    "l2": st.sampled_from([0.1, 0.0]),
}
PROBLEMS = small_problems(min_rows=20) | small_problems(min_rows=20, binary=True)
# An infinite value stands for the end of the training data, so it is not beyond everything.
FAR = [-1e300, -1e9, 1e9, 1e300]


def moves(X: np.ndarray, column: int) -> np.ndarray:
    """Return values to move along: those of the data, between them, close to them, far beyond."""
    known = np.unique(X[np.isfinite(X[:, column]), column])
    between = known[:-1] + np.diff(known) / 2
    close = np.concatenate([np.nextafter(between, -np.inf), np.nextafter(between, np.inf)])
    return np.unique(np.concatenate([known, between, close, FAR]))


def violations(booster, rows: np.ndarray, column: int, sign: int, values: np.ndarray) -> int:
    grid = np.repeat(rows, len(values), axis=0)
    grid[:, column] = np.tile(values, len(rows))
    scores = raw_scores(booster, grid).reshape(len(rows), len(values))
    predictions = booster.predict(grid, n_jobs=1).reshape(len(rows), len(values))
    steps = [sign * np.diff(each, axis=1) for each in (scores, predictions)]
    # The logistic function of two close scores may miss their order by its last bit.
    return int((steps[0] < 0).sum() + (steps[1] < -4e-16 * np.abs(predictions[:, 1:])).sum())


@settings(STEADY, max_examples=150)
@given(problem=PROBLEMS, data=st.data(), **MODELS)
def test_no_move_along_a_monotone_feature_goes_the_wrong_way(problem, data, **params):
    n_features = problem.X.shape[1]
    signs = data.draw(st.lists(st.sampled_from([1, -1, 0]), min_size=n_features,
                               max_size=n_features))  # fmt: skip
    loss = loss_of(problem)
    if loss == "squared_error":
        # In some the constant of a leaf is a quantile, found when its slopes are known.
        loss = data.draw(st.sampled_from(["squared_error", "absolute_error", "huber", "quantile"]))
    booster = fit(problem, loss=loss, monotonic_cst=signs, **params)
    odd = data.draw(arrays(np.float64, (4, n_features), elements=st.floats()))
    rows = np.vstack([odd, problem.X[:12]])
    for column, sign in enumerate(signs):
        if sign != 0:
            values = moves(problem.X, column)
            assert violations(booster, rows, column, sign, values) == 0


def test_all_features_in_every_leaf():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X) @ [1.0, -2.0, 0.5, 0.0] + np.abs(np.nan_to_num(X[:, 0]))
    y = y + rng.normal(size=len(y))
    problem_signs = [1, -1, -1, 1]
    booster = train(
        {
            "n_estimators": 10,
            "max_leaves": 8,
            "fitting": "fully_corrective",
            "regressors": "all",
            "monotonic_cst": problem_signs,
        },
        Dataset(X, y, random_state=0),
        n_jobs=1,
    )
    for column, sign in enumerate(problem_signs):
        assert violations(booster, X[:40], column, sign, moves(X, column)) == 0


def test_the_constraint_is_what_makes_it_monotone():
    """Without it the same data gives many violations: the test above can fail."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 2))
    problem = Problem(X, X[:, 0] + rng.normal(size=300), None)
    free = fit(problem, n_estimators=10)
    held = fit(problem, n_estimators=10, monotonic_cst=[1, 0])
    values = moves(X, 0)
    assert violations(free, X[:20], 0, 1, values) > 100
    assert violations(held, X[:20], 0, 1, values) == 0
    # And it follows the data where it may.
    assert np.corrcoef(raw_scores(held, X), X[:, 0])[0, 1] > 0.8
