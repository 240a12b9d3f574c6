"""The part of the rows that trees know of when none is given."""

import numpy as np
import pytest

from plboost import Dataset, PLBoostRanker, train
from plboost.subsample import automatic_subsample


def problem(n_rows=500):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 3))
    return X, np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n_rows)


def known_rows(booster):
    """Return how many rows the roots of the trees hold."""
    arrays = booster._forest.to_arrays()
    return set(arrays["node_weight"][arrays["tree_node_start"][:-1]])


def test_more_rows_are_known_of_more_rows():
    parts = [automatic_subsample(n) for n in (100, 2000, 4000, 10_000, 18_000, 10**8)]
    assert parts == sorted(parts)
    assert parts[:2] == [0.7, 0.7]
    assert parts[-2:] == pytest.approx([0.9, 0.9])
    assert automatic_subsample(99) == 1.0


@pytest.mark.parametrize(
    ("values", "known"),
    [
        ({}, 350),
        ({"learning_rate": 0.1}, 350),
        ({"max_leaves": 8, "loss": "log_loss"}, 350),
        ({"subsample": 0.5}, 250),
        ({"subsample": 1.0}, 500),
        ({"max_leaves": 8}, 500),
        ({"max_leaves": 8, "learning_rate": 0.1, "loss": "log_loss"}, 500),
        ({"loss": "absolute_error"}, 500),
    ],
)
def test_rows_are_left_out_where_they_have_something_to_judge(values, known):
    X, y = problem()
    y = y > 0.5 if values.get("loss") == "log_loss" else y
    booster = train({"n_estimators": 3} | values, Dataset(X, y, random_state=0))
    assert known_rows(booster) == {known}
    assert booster.parameters["subsample"] == values.get("subsample")


def test_a_ranking_knows_all_documents():
    X, y = problem()
    grades = np.digitize(y, [0.3, 0.8, 1.2])
    ranker = PLBoostRanker(n_estimators=3).fit(X, grades, group=[10] * 50)
    assert known_rows(ranker.booster_) == {500}
