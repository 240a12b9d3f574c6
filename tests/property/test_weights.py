from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.problems import STEADY, Problem, small_problems, smooth_problems
from tests.property.boosters import FITTINGS, PENALTIES, assert_same_model, fit, loss_of, raw_scores

MODELS = {"fitting": st.sampled_from(FITTINGS), "penalty": st.sampled_from(PENALTIES)}


def repeated(problem: Problem) -> Problem:
    """Every row as often as it weighs."""
    counts = problem.weights.astype(int)
    return Problem(np.repeat(problem.X, counts, axis=0), np.repeat(problem.y, counts), None)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("strategy", [small_problems, smooth_problems])
def test_weight_2_is_a_row_twice(strategy, binary):
    compared = []

    # Weighted and repeated rows are summed in another order: gains carry float32 rounding, and
    # columns of huge numbers under the paper's penalty carry more of it than there is signal.
    @settings(STEADY, max_examples=60)
    @given(
        problem=strategy(binary=binary, weights=["integers"]), max_bins=st.integers(3, 60), **MODELS
    )
    def check(problem, max_bins, fitting, penalty):
        params = {"loss": loss_of(problem), "fitting": fitting, "penalty": penalty}
        other = repeated(problem)
        compared.append(
            assert_same_model(
                fit(problem, max_bins=max_bins, **params),
                problem.X,
                fit(other, max_bins=max_bins, **params),
                problem.X,
                weight=problem.weights.sum(),
            )
        )

    check()
    # Most are compared to the last of three trees.
    assert np.mean(compared) > 2.5


@settings(STEADY, max_examples=60)
@given(
    problem=small_problems(weights=["integers", "fractions"]) | small_problems(binary=True),
    **MODELS,
)
def test_weight_0_is_a_row_left_out(problem, fitting, penalty):
    counted = problem.weights > 0
    other = Problem(problem.X[counted], problem.y[counted], problem.weights[counted])
    # What a row without weight holds is not even looked at.
    X = problem.X.copy()
    X[~counted] = np.resize([np.nan, np.inf, 1e300, -7.0], X[~counted].shape)
    params = {"loss": loss_of(other), "fitting": fitting, "penalty": penalty}
    one = fit(Problem(X, problem.y, problem.weights), **params)
    assert one.to_bytes() == fit(other, **params).to_bytes()


@settings(STEADY)
@given(problem=small_problems(weights=["none"]), fitting=st.sampled_from(FITTINGS))
def test_weight_1_is_no_weight(problem, fitting):
    weighted = Problem(problem.X, problem.y, np.ones(len(problem.y)))
    assert fit(problem, fitting=fitting).to_bytes() == fit(weighted, fitting=fitting).to_bytes()


def heavier(problem: Problem, factor: float) -> tuple[Problem, dict[str, float]]:
    """All weights times a factor, and with them everything that is compared with weights.

    Slopes are judged by leaving a unit of weight out, and noise is that of a unit of weight: these
    have no such parameter.
    """
    params = {
        "l2": 0.1 * factor,
        "l2_slopes": 0.2 * factor,
        "min_hessian": 1e-3 * factor,
        "min_samples_leaf": 3 * factor,
        "min_gain": 1e-3 * factor,
        "slope_shrinkage": 0.0,
        "mean_shrinkage": 0.0,
    }
    return Problem(problem.X, problem.y, problem.weights * factor), params


@settings(STEADY)
@given(
    problem=small_problems(),
    exponent=st.integers(-20, 20),
    **MODELS,
)
def test_scale_of_weights_and_penalties_does_not_matter(problem, exponent, fitting, penalty):
    # A power of two scales every sum without rounding: the same bits come out.
    params = {"fitting": fitting, "penalty": penalty}
    (same, plain), (scaled, stronger) = heavier(problem, 1.0), heavier(problem, 2.0**exponent)
    one = fit(same, **params, **plain)
    other = fit(scaled, **params, **stronger)
    assert raw_scores(one, problem.X).tobytes() == raw_scores(other, problem.X).tobytes()


@settings(STEADY)
@given(
    problem=smooth_problems(weights=["none", "fractions"])
    | smooth_problems(weights=["none", "fractions"], binary=True),
    factor=st.sampled_from([1e-3, 0.3, 7.7, 1024.0, 1e6, 1e12]),
    **MODELS,
)
def test_any_scale_of_weights_changes_rounding_only(problem, factor, fitting, penalty):
    params = {"loss": loss_of(problem), "fitting": fitting, "penalty": penalty}
    (same, plain), (scaled, stronger) = heavier(problem, 1.0), heavier(problem, factor)
    one = fit(same, **params, **plain)
    # Fractions like 0.3 round in float32; 3 * 0.3 must not fail to be 0.9.
    stronger["min_samples_leaf"] *= 1 - 1e-6
    other = fit(scaled, **params, **stronger)
    assert_same_model(
        one, problem.X, other, problem.X, weight=problem.weights.sum(), gain_ratio=factor
    )
