from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.problems import STEADY, Problem, small_problems, smooth_problems
from tests.property.boosters import FITTINGS, PENALTIES, fit, loss_of, raw_scores

PROBLEMS = small_problems(max_features=4) | small_problems(max_features=4, binary=True)


def with_copy(problem: Problem, which: int, place: int) -> Problem:
    """The problem with a copy of a column somewhere behind it."""
    source = which % problem.X.shape[1]
    behind = source + 1 + place % (problem.X.shape[1] - source)
    X = np.insert(problem.X, behind, problem.X[:, source], axis=1)
    return Problem(X, problem.y, problem.weight)


@settings(STEADY)
@given(
    problem=PROBLEMS,
    which=st.integers(0, 9),
    place=st.integers(0, 9),
    fitting=st.sampled_from(FITTINGS),
    penalty=st.sampled_from(PENALTIES),
)
def test_copy_changes_nothing_without_regressors(problem, which, place, **params):
    other = with_copy(problem, which, place)
    params |= {"loss": loss_of(problem), "max_regressors": 0}
    one, two = fit(problem, **params), fit(other, **params)
    assert raw_scores(one, problem.X).tobytes() == raw_scores(two, other.X).tobytes()


@settings(STEADY)
@given(
    problem=PROBLEMS,
    which=st.integers(0, 9),
    place=st.integers(0, 9),
    fitting=st.sampled_from(["half_additive", "additive"]),
    penalty=st.sampled_from(PENALTIES),
)
def test_copy_changes_nothing_where_a_feature_may_come_again(problem, which, place, **params):
    # repeated="refit": the feature itself can bring whatever its copy could bring, and comes first.
    # (With repeated="redundant" the copy can do what the feature cannot: bring its column twice.)
    other = with_copy(problem, which, place)
    params |= {"loss": loss_of(problem), "repeated": "refit"}
    one, two = fit(problem, **params), fit(other, **params)
    assert raw_scores(one, problem.X).tobytes() == raw_scores(two, other.X).tobytes()


@settings(STEADY)
@given(problem=smooth_problems(), which=st.integers(0, 9), place=st.integers(0, 9))
def test_copy_is_dropped_from_a_leaf_of_all_regressors(problem, which, place):
    other = with_copy(problem, which, place)
    params = {"regressors": "all", "fitting": "fully_corrective", "max_leaves": 1, "l2": 0.0}
    one, two = fit(problem, **params), fit(other, **params)
    assert len(two.tree(0).leaves[0].slopes) == len(one.tree(0).leaves[0].slopes)
    spread = np.std(problem.y)
    difference = np.abs(raw_scores(one, problem.X) - raw_scores(two, other.X)).max()
    assert difference < 1e-6 * spread


@settings(STEADY, max_examples=60)
@given(
    problem=small_problems(kinds=["continuous", "binary", "duplicate", "collinear", "constant"]),
    fitting=st.sampled_from(FITTINGS),
    penalty=st.sampled_from(PENALTIES),
    l2=st.sampled_from([0.0, 1e-9, 0.1]),
)
def test_copies_and_multiples_never_make_a_fit_worse_than_a_constant(problem, **params):
    rows = problem.weights > 0
    booster = fit(problem, n_estimators=8, **params)
    y, w = problem.y[rows], problem.weights[rows]
    mean = np.average(y, weights=w)
    null = np.average((y - mean) ** 2, weights=w)
    error = np.average((booster.predict(problem.X[rows]) - y) ** 2, weights=w)
    assert error <= null * (1 + 1e-6) + 1e-12
