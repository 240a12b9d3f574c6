from __future__ import annotations

import joblib
import numpy as np
import pytest

from plboost import Dataset, train
from plboost.threads import resolve_threads


@pytest.fixture(autouse=True)
def no_limit_from_outside(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


def test_none_and_minus_one_mean_all_available():
    assert resolve_threads(None) == resolve_threads(-1) == joblib.cpu_count()


def test_negative_numbers_count_from_the_end_as_in_joblib():
    assert resolve_threads(-2) == max(joblib.cpu_count() - 1, 1)
    assert resolve_threads(-10_000) == 1


def test_positive_numbers_are_taken_as_they_are():
    assert resolve_threads(3) == 3
    assert resolve_threads(np.int64(2)) == 2


@pytest.mark.parametrize(("limit", "expected"), [("1", 1), ("1,4", 1), ("", None), ("many", None)])
def test_openmp_limit_bounds_all_available(monkeypatch, limit, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert resolve_threads(None) == (expected or joblib.cpu_count())
    assert resolve_threads(3) == 3


def test_workers_of_joblib_share_the_processors():
    n_workers = max(2, joblib.cpu_count())
    threads = joblib.Parallel(n_jobs=n_workers)(
        joblib.delayed(resolve_threads)(None) for _ in range(n_workers)
    )
    assert sum(threads) <= n_workers


@pytest.mark.parametrize("n_jobs", [0, 1.0, "2", True])
def test_other_values_are_refused(n_jobs):
    error = ValueError if n_jobs == 0 else TypeError
    with pytest.raises(error, match="n_jobs must be None or an integer other than 0"):
        resolve_threads(n_jobs)


def test_the_model_does_not_depend_on_the_number_of_threads(problem):
    models = []
    for n_jobs in (1, 2, 5):
        dataset = Dataset(*problem, n_jobs=n_jobs)
        models.append(train({"n_estimators": 5}, dataset, n_jobs=n_jobs))
    assert models[0].to_bytes() == models[1].to_bytes() == models[2].to_bytes()
    one, many = (models[0].predict(problem[0], n_jobs=n_jobs) for n_jobs in (1, 5))
    np.testing.assert_array_equal(one, many)
