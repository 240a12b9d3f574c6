from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost._core import stages
from tests.problems import STEADY, Problem, small_problems, smooth_problems
from tests.property.boosters import FITTINGS, PENALTIES, assert_same_model, fit, loss_of, raw_scores

ODD_COLUMNS = (
    "continuous",
    "ties",
    "few",
    "binary",
    "integers",
    "missing",
    "infinite",
    "duplicate",
)


@settings(STEADY, max_examples=60)
@given(
    problem=small_problems(kinds=ODD_COLUMNS) | small_problems(kinds=ODD_COLUMNS, binary=True),
    exponents=st.lists(st.integers(-300, 300), min_size=6, max_size=6),
    fitting=st.sampled_from(FITTINGS),
)
def test_feature_times_a_power_of_two_changes_no_bit(problem, exponents, fitting):
    scaled = problem.X * 2.0 ** np.array(exponents[: problem.X.shape[1]])
    params = {"loss": loss_of(problem), "fitting": fitting}
    one = fit(problem, **params)
    other = fit(Problem(scaled, problem.y, problem.weight), **params)
    assert raw_scores(one, problem.X).tobytes() == raw_scores(other, scaled).tobytes()


@settings(STEADY, max_examples=60)
@given(
    problem=small_problems(),
    exponent=st.integers(-300, 300),
    fitting=st.sampled_from(FITTINGS),
    penalty=st.sampled_from(PENALTIES),
)
def test_target_times_a_power_of_two_changes_no_bit(problem, exponent, fitting, penalty):
    params = {"fitting": fitting, "penalty": penalty, "min_gain": 1e-3}
    one = fit(problem, **params)
    other = fit(Problem(problem.X, problem.y * 2.0**exponent, problem.weight), **params)
    expected = raw_scores(one, problem.X) * 2.0**exponent
    assert raw_scores(other, problem.X).tobytes() == expected.tobytes()


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(
    ("factor", "shift"),
    [(1e-12, 0.0), (1e12, 0.0), (3.7, 0.0), (1.0, 1e9), (1.0, -123.4), (1e12, 1e18), (0.3, 5.0)],
)
def test_shift_and_scale_of_a_feature(factor, shift, binary):
    compared = []

    @settings(STEADY, max_examples=15)
    @given(
        problem=smooth_problems(kinds=["continuous"], binary=binary),
        which=st.integers(0, 3),
        fitting=st.sampled_from(FITTINGS),
    )
    def check(problem, which, fitting):
        # Ten rows in a leaf: two features that part them alike would tie.
        params = {"loss": loss_of(problem), "fitting": fitting, "min_samples_leaf": 10}
        X = problem.X.copy()
        X[:, which % X.shape[1]] = X[:, which % X.shape[1]] * factor + shift
        one, other = fit(problem, **params), fit(Problem(X, problem.y, problem.weight), **params)
        compared.append(assert_same_model(one, problem.X, other, X, weight=len(X)))

    check()
    assert np.mean(compared) > 2.5


# The paper's half-additive penalty on s_z is not quadratic in y: it does not see powers of two,
# which the unit of y takes away, but it sees the rest of a factor.
HOMOGENEOUS = [
    {"fitting": fitting, "penalty": penalty}
    for fitting in FITTINGS
    for penalty in PENALTIES
    if (fitting, penalty) != ("half_additive", "paper")
]


def unit_of(problem: Problem) -> float:
    zeros = np.zeros(len(problem.y))
    counted = problem.weights > 0
    return stages.gradients(
        "squared_error", problem.y[counted], problem.weights[counted], zeros[counted]
    )[1]


@pytest.mark.parametrize(
    ("factor", "shift"),
    [(1e-12, 0.0), (1e12, 0.0), (3.7, 0.0), (1.0, 1e6), (0.3, -77.7), (1e-12, 1e-9), (1e12, 1e15)],
)
def test_shift_and_scale_of_the_target(factor, shift):
    compared = []

    @settings(STEADY, max_examples=15)
    @given(
        problem=smooth_problems(weights=["none", "integers"]),
        model=st.sampled_from(HOMOGENEOUS),
    )
    def check(problem, model):
        params = {**model, "min_samples_leaf": 10}
        other = Problem(problem.X, problem.y * factor + shift, problem.weight)
        compared.append(
            assert_same_model(
                fit(problem, **params),
                problem.X,
                fit(other, **params),
                problem.X,
                weight=problem.weights.sum(),
                scale=factor,
                shift=shift,
                # Gains are in units of y, powers of two that follow the factor as well as they can.
                gain_ratio=(factor * unit_of(problem) / unit_of(other)) ** 2,
            )
        )

    check()
    assert np.mean(compared) > 2.5


@settings(STEADY)
@given(problem=smooth_problems(), shift=st.sampled_from([1e9, -1e9]))
def test_a_large_shift_of_the_target_keeps_its_digits(problem, shift):
    # y + 1e9 has seven digits of y left; what is lost is lost in the sum, not in the training.
    shifted = problem.y + shift
    one = fit(Problem(problem.X, shifted - shift, None), min_samples_leaf=10)
    other = fit(Problem(problem.X, shifted, None), min_samples_leaf=10)
    difference = raw_scores(other, problem.X) - shift - raw_scores(one, problem.X)
    near_tie = np.std(difference) > 1e-3 * np.std(problem.y)
    assert near_tie or np.abs(difference).max() < 1e-4 * (1 + np.std(problem.y))
    assert_same_model(one, problem.X, other, problem.X, weight=len(shifted), shift=shift)
