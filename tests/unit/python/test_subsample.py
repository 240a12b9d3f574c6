"""The part of the rows that trees know of when none is given."""

import numpy as np
import pytest

from plboost import Dataset, PLBoostRanker, train
from plboost.subsample import UNJUDGED_LOSSES, automatic_subsample
from plboost.training import open_run

LOSSES = [
    "squared_error",
    "absolute_error",
    "huber",
    "quantile",
    "mape",
    "poisson",
    "gamma",
    "tweedie",
    "log_loss",
    "cross_entropy",
]


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


def test_trees_know_enough_rows_to_be_split():
    X, y = problem(110)
    for least, known in ((19, 77), (20, 110), (50, 110)):
        params = {"n_estimators": 2, "min_samples_leaf": least}
        booster = train(params, Dataset(X, y, random_state=0))
        assert known_rows(booster) == {known}
        assert all(len(booster.tree(i).leaves) > 1 for i in range(2))


@pytest.mark.parametrize("loss", LOSSES)
def test_python_knows_what_the_core_can_judge(loss):
    X, y = problem()
    target = np.clip(np.abs(y) + 0.1, 0.1, 1.0)
    target = target > 0.7 if loss == "log_loss" else target
    params = {"loss": loss, "n_estimators": 1}
    with open_run(
        params, Dataset(X, target), eval_sets=None, eval_metric=None, callbacks=None, n_jobs=1
    ) as run:
        run.execute(verbose=0)
        assert run._trainer.judges == (loss not in UNJUDGED_LOSSES)
        assert known_rows(run.booster()) == {500 if loss in UNJUDGED_LOSSES else 350}


def test_a_part_that_rounds_to_all_rows_judges_nothing():
    X, y = problem()
    rates = [
        train({"loss": "log_loss", "subsample": part}, Dataset(X, y > 0.5)).parameters[
            "learning_rate"
        ]
        for part in (0.9999, 1.0)
    ]
    assert rates[0] == rates[1]


def test_a_ranking_knows_all_documents():
    X, y = problem()
    grades = np.digitize(y, [0.3, 0.8, 1.2])
    ranker = PLBoostRanker(n_estimators=3).fit(X, grades, group=[10] * 50)
    assert known_rows(ranker.booster_) == {500}
