from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.problems import STEADY, Problem, smooth_problems
from tests.property.boosters import FITTINGS, PENALTIES, assert_same_model, fit, loss_of

MODELS = {"fitting": st.sampled_from(FITTINGS), "penalty": st.sampled_from(PENALTIES)}


def compare(problem, make_other, params):
    """Compare the model of a problem with that of `make_other`, features going by name."""
    names = [f"f{i}" for i in range(problem.X.shape[1])]
    params = {"loss": loss_of(problem), "min_samples_leaf": 10, **params}
    other, other_names, rows = make_other(names)
    return assert_same_model(
        fit(problem, feature_names=names, **params),
        problem.X[rows],
        fit(other, feature_names=other_names, **params),
        other.X,
        weight=problem.weights.sum(),
    )


@pytest.mark.parametrize("binary", [False, True])
def test_column_order(binary):
    compared = []

    @settings(STEADY, max_examples=50)
    @given(
        problem=smooth_problems(binary=binary, weights=["none", "fractions"]),
        seed=st.integers(0, 2**16),
        **MODELS,
    )
    def check(problem, seed, **params):
        order = np.random.default_rng(seed).permutation(problem.X.shape[1])
        other = Problem(problem.X[:, order], problem.y, problem.weight)
        compared.append(
            compare(problem, lambda names: (other, [names[i] for i in order], slice(None)), params)
        )

    check()
    assert np.mean(compared) > 2.8


@pytest.mark.parametrize("binary", [False, True])
def test_row_order(binary):
    compared = []

    @settings(STEADY, max_examples=50)
    @given(
        problem=smooth_problems(binary=binary, weights=["none", "fractions"]),
        seed=st.integers(0, 2**16),
        **MODELS,
    )
    def check(problem, seed, **params):
        order = np.random.default_rng(seed).permutation(len(problem.y))
        weight = None if problem.weight is None else problem.weight[order]
        other = Problem(problem.X[order], problem.y[order], weight)
        compared.append(compare(problem, lambda names: (other, names, order), params))

    check()
    assert np.mean(compared) > 2.5


@settings(STEADY)
@given(problem=smooth_problems(), seed=st.integers(1, 2**32 - 1), **MODELS)
def test_random_state_changes_rounding_only(problem, seed, **params):
    params["min_samples_leaf"] = 10
    one, other = fit(problem, **params), fit(problem, random_state=seed, **params)
    assert_same_model(one, problem.X, other, problem.X, weight=len(problem.y))


@settings(STEADY)
@given(problem=smooth_problems(), seed=st.integers(0, 2**32 - 1))
def test_same_random_state_gives_the_same_bytes(problem, seed):
    one, other = (fit(problem, random_state=seed) for _ in range(2))
    assert one.to_bytes() == other.to_bytes()
