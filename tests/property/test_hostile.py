"""No input, however odd, makes a prediction that is not a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plboost import Booster
from tests.problems import STEADY, Problem, small_problems
from tests.property.boosters import FITTINGS, PENALTIES, fit, loss_of, raw_scores

LARGEST = np.finfo(float).max
LARGEST_TARGET = 1e150
LARGEST_TOTAL_WEIGHT = 1e30
HOSTILE = (
    st.sampled_from(
        [np.nan, np.inf, -np.inf, 1e308, -1e308, LARGEST, -LARGEST, 5e-324, -5e-324, 1e-310, 0.0]
    )
    | st.floats()
    | st.integers(-3, 3).map(float)
)
MODELS = {
    "fitting": st.sampled_from(FITTINGS),
    "penalty": st.sampled_from(PENALTIES),
    "extrapolation": st.sampled_from(["clamp", "linear"]),
    "repeated": st.sampled_from(["redundant", "refit"]),
    "refit_leaves": st.booleans(),
    "slope_shrinkage": st.sampled_from([0.0, 1.0, 3.0]),
    "mean_shrinkage": st.sampled_from([0.0, 3.0, 1e6]),
    "l2": st.sampled_from([0.0, 1e-12, 0.1]),
    "min_samples_leaf": st.sampled_from([0.0, 1.0, 3.0]),
    "min_hessian": st.sampled_from([0.0, 1e-3]),
}


@st.composite
def hostile_problems(draw, *, binary):
    n, n_features = draw(st.integers(2, 25)), draw(st.integers(1, 4))
    X = draw(arrays(np.float64, (n, n_features), elements=HOSTILE))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, 2, size=n).astype(float) if binary else rng.normal(size=n)
    y[:2] = [0.0, 1.0]
    return Problem(X, y, None)


def assert_finite_and_storable(booster: Booster, X: np.ndarray) -> None:
    odd = np.resize([np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0], (7, X.shape[1]))
    rows = np.vstack([X, odd, odd[::-1] * 0.5])
    assert np.isfinite(raw_scores(booster, rows)).all()
    for name, array in booster._forest.to_arrays().items():
        if name not in ("node_threshold", "leaf_low", "leaf_high"):
            assert np.isfinite(array).all(), name
    assert Booster.from_bytes(booster.to_bytes()).to_bytes() == booster.to_bytes()


@pytest.mark.parametrize("binary", [False, True])
def test_hostile_features(binary):
    @settings(STEADY, max_examples=150)
    @given(problem=hostile_problems(binary=binary), **MODELS)
    def check(problem, **params):
        booster = fit(problem, loss=loss_of(problem), n_estimators=5, learning_rate=1.0, **params)
        assert_finite_and_storable(booster, problem.X)

    check()


@pytest.mark.parametrize("extrapolation", ["clamp", "linear"])
@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-300, 1e-150, 1e-40, 1e40, 1e148])
def test_scales_of_the_target(scale, extrapolation):
    @settings(STEADY, max_examples=15)
    @given(problem=small_problems(), **MODELS)
    def check(problem, **params):
        params["extrapolation"] = extrapolation
        booster = fit(Problem(problem.X, problem.y * scale, problem.weight), **params)
        assert_finite_and_storable(booster, problem.X)

    check()


@pytest.mark.parametrize("extrapolation", ["clamp", "linear"])
def test_targets_at_the_end_of_the_range(extrapolation):
    @settings(STEADY, max_examples=40)
    @given(problem=small_problems(), **MODELS)
    def check(problem, **params):
        params["extrapolation"] = extrapolation
        y = problem.y / np.abs(problem.y).max() * LARGEST_TARGET
        booster = fit(Problem(problem.X, y, problem.weight), learning_rate=1.0, **params)
        assert_finite_and_storable(booster, problem.X)

    check()


@pytest.mark.parametrize("value", [np.nextafter(LARGEST_TARGET, np.inf), 1e151, 1e300, LARGEST])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_targets_beyond_the_end_of_the_range(value, sign):
    y = np.zeros(30)
    y[7] = sign * value
    with pytest.raises(ValueError, match=r"y must .*1e150.* in row 7"):
        fit(Problem(np.arange(30.0)[:, None], y, None))


@pytest.mark.parametrize("value", [7.0, 0.1, -1e9 / 3, 1e-300, LARGEST_TARGET])
def test_constant_target_is_predicted_as_it_is(value):
    @settings(STEADY, max_examples=20)
    @given(problem=small_problems(), fitting=st.sampled_from(FITTINGS))
    def check(problem, fitting):
        y = np.full(len(problem.y), value)
        booster = fit(Problem(problem.X, y, problem.weight), fitting=fitting)
        assert (raw_scores(booster, problem.X) == value).all()

    check()


@pytest.mark.parametrize("total", [1e-300, 1e-45, 1e-30, 1e20, LARGEST_TOTAL_WEIGHT])
@pytest.mark.parametrize("regressors", ["path", "all"])
def test_scales_of_the_weights(total, regressors):
    @settings(STEADY, max_examples=25)
    @given(problem=small_problems() | small_problems(binary=True), l2=st.sampled_from([0.0, 0.1]))
    def check(problem, l2):
        # A little less than the total, whatever the division rounds.
        weights = problem.weights * (total * (1 - 1e-12) / problem.weights.sum())
        booster = fit(
            Problem(problem.X, problem.y, weights),
            loss=loss_of(problem),
            fitting="fully_corrective" if regressors == "all" else "half_additive",
            regressors=regressors,
            l2=l2,
            min_samples_leaf=0.0,
        )
        assert_finite_and_storable(booster, problem.X)

    check()


@pytest.mark.parametrize("total", [1.001 * LARGEST_TOTAL_WEIGHT, 1e39, 1e300, LARGEST])
@pytest.mark.parametrize("shared", [True, False])
def test_weights_of_too_large_a_sum(total, shared):
    weights = np.full(30, total / 30) if shared else np.eye(30)[7] * total
    with pytest.raises(ValueError, match=r"sample_weight must sum to at most 1e30.* Divide"):
        fit(Problem(np.arange(30.0)[:, None], np.arange(30.0), weights))


@settings(STEADY, max_examples=60)
@given(problem=small_problems(binary=True, noise=0.0), **MODELS)
def test_separable_classes_and_long_steps(problem, **params):
    booster = fit(problem, loss="log_loss", n_estimators=60, learning_rate=5.0, **params)
    assert_finite_and_storable(booster, problem.X)
    p = booster.predict(problem.X)
    assert ((p >= 0) & (p <= 1)).all()
