"""The learning rate that is chosen when none is given."""

import numpy as np
import pytest

from plboost import Dataset, PLBoostClassifier, PLBoostRegressor, train
from plboost.learning_rate import LARGEST_RATE, automatic_learning_rate


def problem(n_rows=400):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 3))
    return X, np.sin(5 * X[:, 0]) + X[:, 1]


@pytest.mark.parametrize("loss", ["squared_error", "log_loss", "poisson"])
def test_more_rows_give_larger_rates_and_more_rounds_smaller_ones(loss):
    by_rows = [automatic_learning_rate(loss, n, 500) for n in (10, 1000, 10_000, 60_000, 10**9)]
    assert by_rows == sorted(by_rows)
    assert by_rows[0] == pytest.approx(0.007)
    assert by_rows[-2:] == [0.07, 0.07]
    by_rounds = [automatic_learning_rate(loss, 5000, n) for n in (1, 100, 1000, 10_000)]
    assert by_rounds == sorted(by_rounds, reverse=True)
    assert by_rounds[0] == LARGEST_RATE


def test_classes_get_smaller_steps_than_numbers():
    assert automatic_learning_rate("log_loss", 3000, 500) < automatic_learning_rate(
        "squared_error", 3000, 500
    )


def test_the_chosen_rate_is_that_of_the_model():
    X, y = problem()
    chosen = train({"n_estimators": 100}, Dataset(X, y, random_state=0))
    rate = automatic_learning_rate("squared_error", 400, 100)
    assert chosen.parameters["learning_rate"] == rate < LARGEST_RATE
    given = train({"n_estimators": 100, "learning_rate": rate}, Dataset(X, y, random_state=0))
    assert (given.predict(X) == chosen.predict(X)).all()


def test_a_row_twice_counts_as_a_row_of_weight_two():
    X, y = problem()
    twice = train({"n_estimators": 200}, Dataset(np.vstack([X, X]), np.hstack([y, y])))
    weighted = train({"n_estimators": 200}, Dataset(X, y, sample_weight=np.full(len(y), 2.0)))
    assert twice.parameters["learning_rate"] == weighted.parameters["learning_rate"]


def test_the_classifier_chooses_by_its_own_loss():
    X, y = problem()
    model = PLBoostClassifier(n_estimators=300, max_leaves=4).fit(X, y > 0.5)
    expected = automatic_learning_rate("log_loss", 400, 300)
    assert model.booster_.parameters["learning_rate"] == expected


def test_a_warm_start_keeps_the_rate_of_its_first_rounds():
    X, y = problem()
    model = PLBoostRegressor(n_estimators=50, warm_start=True, random_state=0).fit(X, y)
    first = model.booster_.parameters["learning_rate"]
    model.set_params(n_estimators=400).fit(X, y)
    assert model.n_iter_ == 400
    assert model.booster_.parameters["learning_rate"] == first
    at_once = PLBoostRegressor(n_estimators=400, learning_rate=first, random_state=0).fit(X, y)
    assert (model.predict(X) == at_once.predict(X)).all()
