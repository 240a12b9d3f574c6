from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.problems import STEADY, small_problems
from tests.property.boosters import FITTINGS, PENALTIES, fit, loss_of, raw_scores, rows_of_nodes

MODELS = {
    "fitting": st.sampled_from(FITTINGS),
    "penalty": st.sampled_from(PENALTIES),
    "refit_leaves": st.booleans(),
    "slope_shrinkage": st.sampled_from([0.0, 1.0, 3.0]),
}
PROBLEMS = small_problems() | small_problems(binary=True)


@settings(STEADY, max_examples=80)
@given(problem=PROBLEMS, data=st.data(), **MODELS)
def test_scores_stay_between_the_sums_of_the_leaves_limits(problem, data, **params):
    booster = fit(problem, loss=loss_of(problem), **params)
    X = data.draw(arrays(np.float64, (8, problem.X.shape[1]), elements=st.floats()))
    X = np.vstack([X, problem.X])
    low = np.full(len(X), booster.base_score)
    high = low.copy()
    for index in range(booster.n_trees):
        tree = booster.tree(index)
        rows = rows_of_nodes(tree, X, booster.feature_names)
        for leaf in tree.leaves:
            low[rows[leaf.node]] += leaf.low
            high[rows[leaf.node]] += leaf.high
    scores = raw_scores(booster, X)
    # Rounding of sums keeps their order, so there is no tolerance.
    assert (low <= scores).all()
    assert (scores <= high).all()


@settings(STEADY, max_examples=80)
@given(problem=PROBLEMS, data=st.data(), **MODELS)
def test_beyond_the_training_rows_scores_are_those_of_the_edge(problem, data, **params):
    booster = fit(problem, loss=loss_of(problem), **params)
    X = data.draw(arrays(np.float64, (8, problem.X.shape[1]), elements=st.floats()))
    seen = np.where(np.isfinite(problem.X), problem.X, np.nan)[problem.weights > 0]
    some = np.isfinite(seen).any(axis=0)
    low, high = np.nanmin(seen[:, some], axis=0), np.nanmax(seen[:, some], axis=0)
    edge = X.copy()
    edge[:, some] = np.clip(X[:, some], low, high)
    assert raw_scores(booster, X).tobytes() == raw_scores(booster, edge).tobytes()


@settings(STEADY, max_examples=60)
@given(problem=PROBLEMS, **MODELS)
def test_clamp_changes_nothing_on_the_training_rows(problem, **params):
    loss = loss_of(problem)
    clamped = fit(problem, loss=loss, **params)
    free = fit(problem, loss=loss, extrapolation="linear", **params)
    rows = problem.weights > 0
    # Infinite values stand for the ends of the data, in training for the mean of the outer bin.
    rows &= np.isfinite(problem.X).all(axis=1)
    a, b = (raw_scores(model, problem.X[rows]) for model in (clamped, free))
    # Training clamps through u in float32, prediction computes u in float64.
    scale = 1 + np.abs(a).max(initial=0.0)
    assert np.allclose(a, b, rtol=0, atol=1e-5 * scale)


@settings(STEADY)
@given(problem=small_problems(weights=["none"]), fitting=st.sampled_from(FITTINGS))
def test_limits_are_taken_on_the_leaf_s_own_rows(problem, fitting):
    booster = fit(problem, fitting=fitting, n_estimators=1)
    tree = booster.tree(0)
    scores = raw_scores(booster, problem.X) - booster.base_score
    rows = rows_of_nodes(tree, problem.X, booster.feature_names)
    finite = np.isfinite(problem.X).all(axis=1)
    for leaf in tree.leaves:
        own = rows[leaf.node]
        assert leaf.low <= leaf.high
        if (finite | ~own).all():
            slack = 1e-5 * (1 + np.abs(scores).max())
            assert abs(scores[own].min() - leaf.low) <= slack
            assert abs(scores[own].max() - leaf.high) <= slack
