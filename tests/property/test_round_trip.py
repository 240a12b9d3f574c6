from __future__ import annotations

import copy
import pickle
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost import Booster
from tests.problems import STEADY, small_problems
from tests.property.boosters import FITTINGS, PENALTIES, fit, loss_of

PROBLEMS = small_problems() | small_problems(binary=True)
MODELS = {
    "fitting": st.sampled_from(FITTINGS),
    "penalty": st.sampled_from(PENALTIES),
    "extrapolation": st.sampled_from(["clamp", "linear"]),
    "refit_leaves": st.booleans(),
    "slope_shrinkage": st.sampled_from([0.0, 1.0, 3.0]),
}
ODD_VALUES = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.25, 1e15])


def odd_rows(X):
    """The training rows, and rows full of odd values."""
    rng = np.random.default_rng(0)
    return np.vstack([X, rng.choice(ODD_VALUES, size=(30, X.shape[1]))])


@settings(STEADY)
@given(problem=PROBLEMS, **MODELS)
def test_same_predictions_after_every_round_trip(tmp_path_factory, problem, **params):
    booster = fit(problem, loss=loss_of(problem), **params)
    X = odd_rows(problem.X)
    expected = booster.predict(X, raw_score=True).tobytes()
    path = tmp_path_factory.mktemp("model") / "model.plb"
    booster.save(path)
    copies = {
        "file": Booster.load(path),
        "bytes": Booster.from_bytes(booster.to_bytes()),
        "pickle": pickle.loads(pickle.dumps(booster)),
        "oldest pickle": pickle.loads(pickle.dumps(booster, protocol=0)),
        "deep copy": copy.deepcopy(booster),
    }
    for name, other in copies.items():
        assert other.predict(X, raw_score=True).tobytes() == expected, name
        assert other.to_bytes() == booster.to_bytes(), name


@settings(STEADY)
@given(problem=PROBLEMS, n_estimators=st.integers(1, 6), **MODELS)
def test_staged_predictions_end_with_the_prediction(problem, n_estimators, **params):
    booster = fit(problem, loss=loss_of(problem), n_estimators=n_estimators, **params)
    X = odd_rows(problem.X)
    for raw_score in (False, True):
        stages = list(booster.staged_predict(X, raw_score=raw_score))
        assert len(stages) == n_estimators
        for k, stage in enumerate(stages, start=1):
            expected = booster.predict(X, raw_score=raw_score, n_rounds=k)
            assert stage.tobytes() == expected.tobytes()
        assert stages[-1].tobytes() == booster.predict(X, raw_score=raw_score).tobytes()


@settings(STEADY)
@given(problem=small_problems(), **MODELS)
def test_training_rows_get_the_scores_of_training(problem, **params):
    # Round k fits the residuals of the rounds before: were the scores of training other than the
    # predictions, a round would make the predictions worse.
    booster = fit(problem, learning_rate=1.0, n_estimators=4, l2=0.0, **params)
    rows = problem.weights > 0
    y, w = problem.y[rows], problem.weights[rows]
    errors = [
        np.average((stage - y) ** 2, weights=w) for stage in booster.staged_predict(problem.X[rows])
    ]
    # Each round minimises over its leaves, so with l2 = 0 the error of squares cannot grow.
    slack = 1e-6 * np.average((y - np.average(y, weights=w)) ** 2, weights=w)
    assert all(b <= a + slack for a, b in pairwise(errors))
