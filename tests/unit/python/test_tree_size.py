"""The size of trees that is chosen when none is given."""

import numpy as np
import pytest

from plboost import Dataset, PLBoostRegressor, train
from plboost.callbacks import Checkpoint
from plboost.tree_size import FIRST_LEAVES, automatic_max_leaves


def problem(n_rows, noise=0.0):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 4)).astype(np.float32)
    y = np.sin(20 * X[:, 0]) * np.sin(20 * X[:, 1]) + X[:, 2]
    return X, y + noise * rng.normal(size=n_rows)


def leaves(booster):
    return [len(booster.tree(i).leaves) for i in range(booster.n_rounds)]


def test_more_rows_allow_more_leaves_up_to_a_limit():
    sizes = [automatic_max_leaves(n) for n in (1, 10_000, 37_000, 50_000, 200_000, 10**9)]
    assert sizes == [48, 48, 48, 85, 514, 1024]


@pytest.mark.parametrize("values", [{"subsample": 1.0}, {"loss": "absolute_error"}, {"n_rows": 90}])
def test_trees_that_no_row_can_judge_have_one_size(values):
    values = dict(values)
    X, y = problem(values.pop("n_rows", 2000))
    values |= {"n_estimators": 8, "learning_rate": 0.1}
    chosen = train(values, Dataset(X, y, random_state=0))
    given = train(values | {"max_leaves": FIRST_LEAVES}, Dataset(X, y, random_state=0))
    assert chosen.parameters["max_leaves"] is None
    assert (chosen.predict(X) == given.predict(X)).all()


def test_trees_of_noise_become_small():
    X, _ = problem(3000)
    y = np.random.default_rng(1).normal(size=3000)
    sizes = leaves(train({"n_estimators": 60}, Dataset(X, y, random_state=0)))
    assert sizes[0] == FIRST_LEAVES
    assert sizes[-1] == 8


@pytest.fixture(scope="module")
def large():
    return Dataset(*problem(50_000), random_state=0, n_jobs=2)


def test_trees_grow_where_there_is_something_to_say(large):
    sizes = leaves(train({"n_estimators": 15, "learning_rate": 0.1}, large))
    assert sizes[0] == FIRST_LEAVES
    assert sizes == sorted(sizes)
    assert sizes[-1] == automatic_max_leaves(50_000)


def test_trees_do_not_grow_on_noise():
    X, _ = problem(50_000)
    y = np.random.default_rng(1).normal(size=50_000)
    model = PLBoostRegressor(n_estimators=40, random_state=0).fit(X, y)
    assert leaves(model.booster_)[-1] < FIRST_LEAVES / 2


def test_any_number_of_threads_gives_the_same_model(large):
    models = [train({"n_estimators": 6}, large, n_jobs=n).to_bytes() for n in (1, 2, 3)]
    assert len(set(models)) == 1


def test_a_checkpoint_knows_the_size(large, tmp_path):
    straight = train({"n_estimators": 8, "learning_rate": 0.1}, large)
    path = tmp_path / "a.ckpt"
    train({"n_estimators": 4, "learning_rate": 0.1}, large, callbacks=[Checkpoint(path, every=4)])
    resumed = train(
        {"n_estimators": 8, "learning_rate": 0.1}, large, callbacks=[Checkpoint(path, every=4)]
    )
    assert resumed.to_bytes() == straight.to_bytes()
