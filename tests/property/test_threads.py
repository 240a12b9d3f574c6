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


@pytest.mark.parametrize("loss", ["squared_error", "log_loss", "classes"])
@pytest.mark.parametrize("fitting", FITTINGS)
@pytest.mark.parametrize("sample", [None, 0.9])
def test_same_bytes_with_several_blocks_of_rows(loss, fitting, sample):
    # More than two blocks of 16384 rows, more than the 32768 that all threads work on together, and
    # more than two groups of features. Columns of few values share a code.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 9)).astype(np.float32)
    X[:, 6:] = rng.integers(0, 4, size=(len(X), 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + X[:, 7])
    y += 0.1 * rng.normal(size=len(X))
    if loss == "log_loss":
        y = (y > 0).astype(float)
    elif loss == "classes":
        loss, y = "log_loss", np.digitize(y, [-1.0, 1.0]).astype(float)
    params = {"loss": loss, "fitting": fitting, "n_estimators": 2, "max_leaves": 6}
    params |= {"split_sample": sample, "split_sample_rows": None}
    sets = {"valid": (X[:3000], y[:3000])}
    models, predictions = set(), set()
    for n_jobs in (1, 2, 3, 5):
        booster = train(params, Dataset(X, y, n_jobs=n_jobs), eval_sets=sets, n_jobs=n_jobs)
        models.add(booster.to_bytes())
        predictions.add(booster.predict(X, n_jobs=n_jobs).tobytes())
    assert len(models) == len(predictions) == 1


@pytest.mark.parametrize("max_regressors", [0, 1])
def test_same_bytes_where_sums_are_subtracted(max_regressors):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(70_000, 5)).astype(np.float32)
    y = np.abs(X[:, 0]) + X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=len(X))
    params = {"n_estimators": 2, "max_leaves": 30, "max_regressors": max_regressors}
    params |= {"split_sample": None, "split_sample_rows": None}
    data = Dataset(X, y, sample_weight=rng.random(len(X)) + 0.5, n_jobs=2)
    models = {train(params, data, n_jobs=n_jobs).to_bytes() for n_jobs in (1, 2, 3, 5)}
    assert len(models) == 1


def test_more_rows_than_bins_are_made_from():
    # Bins come from 2^18 of the rows; the others have codes, leaves and weights all the same.
    rng = np.random.default_rng(2)
    n = 2**18 + 5000
    X = rng.normal(size=(n, 2)).astype(np.float32)
    X[:: n // 7, 0] = [1e6, -1e6, np.nan, np.inf, -np.inf, 30.0, -30.0, 0.0]
    y = np.where(X[:, 1] > 0.3, 2.0, -1.0) + 0.1 * rng.normal(size=n)
    params = {"n_estimators": 2, "max_leaves": 4, "learning_rate": 1.0}
    boosters = [train(params, Dataset(X, y, n_jobs=n_jobs), n_jobs=n_jobs) for n_jobs in (1, 2, 5)]
    assert len({booster.to_bytes() for booster in boosters}) == 1
    tree = boosters[0].tree(0)
    assert sum(leaf.weight for leaf in tree.leaves) == n
    assert np.abs(boosters[0].predict(X) - y).mean() < 0.12


@pytest.mark.parametrize("classes", [1, 3])
def test_same_bytes_tree_after_tree(classes):
    # Which leaves a worker takes depends on the tree before and on who moved their rows; trees of
    # other outputs have gains of another size.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(6000, 6))
    y = np.sin(3 * X[:, 0]) * X[:, 1] + X[:, 2] ** 2 + 0.1 * rng.standard_cauchy(size=len(X))
    params = {"n_estimators": 12, "max_leaves": 60, "min_samples_leaf": 5}
    if classes > 1:
        params["loss"] = "log_loss"
        y = np.digitize(y, [0.0, 4.0]).astype(float)
    data = Dataset(X, y)
    models = {train(params, data, n_jobs=n_jobs).to_bytes() for n_jobs in (1, 2, 3, 5)}
    assert len(models) == 1
