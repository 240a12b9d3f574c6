from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.problems import STEADY, Problem
from tests.property.boosters import PENALTIES, fit

ONE_LEAF = {
    "n_estimators": 1,
    "learning_rate": 1.0,
    "max_leaves": 1,
    "regressors": "all",
    "fitting": "fully_corrective",
    "l2": 0.0,
}


@st.composite
def linear_problems(draw):
    """Features of different scales and places, and y a line over them."""
    n_features = draw(st.integers(1, 6))
    n = draw(st.integers(4 * n_features + 4, 80))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, n_features))
    slopes = rng.uniform(0.5, 2.0, size=n_features) * rng.choice([-1, 1], size=n_features)
    intercept = rng.normal()
    y = X @ slopes + intercept
    scale = 10.0 ** rng.integers(-6, 7, size=n_features)
    place = rng.normal(size=n_features) * 10 * scale
    weight = draw(st.sampled_from([None, rng.integers(1, 4, size=n).astype(float)]))
    return Problem(X * scale + place, y, weight), slopes / scale


@settings(STEADY, max_examples=60)
@given(case=linear_problems(), penalty=st.sampled_from(PENALTIES))
def test_one_leaf_fits_a_line_exactly(case, penalty):
    problem, slopes = case
    booster = fit(problem, penalty=penalty, **ONE_LEAF)
    # g and u are float32.
    error = np.abs(booster.predict(problem.X) - problem.y).max()
    assert error < 1e-5 * np.std(problem.y)
    [leaf] = booster.tree(0).leaves
    got = np.array([leaf.slopes[f"x{j}"] for j in range(len(slopes))])
    assert np.allclose(got, slopes, rtol=1e-4)


@settings(STEADY)
@given(case=linear_problems())
def test_a_second_round_takes_the_rounding_away(case):
    problem, _ = case
    booster = fit(problem, **ONE_LEAF | {"n_estimators": 3, "extrapolation": "linear"})
    error = np.abs(booster.predict(problem.X) - problem.y).max()
    assert error < 1e-6 * np.std(problem.y)


@settings(STEADY)
@given(case=linear_problems())
def test_the_line_goes_on_outside_the_data_without_clamp(case):
    problem, slopes = case
    booster = fit(problem, extrapolation="linear", **ONE_LEAF)
    centre, spread = problem.X.mean(axis=0), problem.X.std(axis=0)
    far = centre + 100 * spread
    expected = problem.y.mean() + slopes @ (far - problem.X.mean(axis=0))
    assert np.isclose(
        booster.predict(far[None])[0], expected, rtol=0, atol=1e-3 * np.std(problem.y)
    )
    clamped = fit(problem, **ONE_LEAF).predict(far[None])[0]
    assert problem.y.min() - 1e-5 <= clamped <= problem.y.max() + 1e-5


@settings(STEADY)
@given(case=linear_problems())
def test_l2_shrinks_it(case):
    problem, _ = case
    booster = fit(problem, **ONE_LEAF | {"l2_slopes": 10.0})
    assert np.abs(booster.predict(problem.X) - problem.y).max() > 1e-2 * np.std(problem.y)
