from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost import Dataset, train
from tests.problems import STEADY, small_problems
from tests.property.boosters import FITTINGS, PENALTIES, fit, loss_of


@settings(STEADY, max_examples=30)
@given(
    problem=small_problems() | small_problems(binary=True),
    fitting=st.sampled_from(FITTINGS),
    penalty=st.sampled_from(PENALTIES),
)
def test_same_bytes_for_any_number_of_threads(problem, fitting, penalty):
    params = {"loss": loss_of(problem), "fitting": fitting, "penalty": penalty}
    models = {fit(problem, n_jobs=n_jobs, **params).to_bytes() for n_jobs in (1, 2, 3, 5)}
    assert len(models) == 1


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
@pytest.mark.parametrize("fitting", FITTINGS)
def test_same_bytes_with_several_blocks_of_rows(loss, fitting):
    # More than two blocks of 16384 rows, and more than two groups of features.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 9)).astype(np.float32)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2])) + 0.1 * rng.normal(size=len(X))
    y = (y > 0).astype(float) if loss == "log_loss" else y
    params = {"loss": loss, "fitting": fitting, "n_estimators": 2, "max_leaves": 6}
    sets = {"valid": (X[:3000], y[:3000])}
    models, predictions = set(), set()
    for n_jobs in (1, 2, 5):
        booster = train(params, Dataset(X, y, n_jobs=n_jobs), eval_sets=sets, n_jobs=n_jobs)
        models.add(booster.to_bytes())
        predictions.add(booster.predict(X, n_jobs=n_jobs).tobytes())
    assert len(models) == len(predictions) == 1
