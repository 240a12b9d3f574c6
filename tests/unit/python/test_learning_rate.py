"""The learning rate that is chosen when none is given."""

import numpy as np
import pytest

from plboost import Dataset, PLBoostClassifier, PLBoostRegressor, train
from plboost.callbacks import LearningRateSchedule
from plboost.learning_rate import LARGEST_RATE, automatic_learning_rate, balance_of_classes


def problem(n_rows=400):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 3))
    return X, np.sin(5 * X[:, 0]) + X[:, 1]


def balance_of_share(positive):
    return balance_of_classes([np.log(positive / (1.0 - positive))])


@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.parametrize("loss", ["squared_error", "log_loss", "poisson"])
def test_more_rows_give_larger_rates_and_more_rounds_smaller_ones(loss, judged):
    rows = (10, 1000, 10_000, 60_000, 10**9)
    by_rows = [automatic_learning_rate(loss, n, 500, judged=judged) for n in rows]
    assert by_rows == sorted(by_rows)
    least = 0.02 if loss == "log_loss" and judged else 0.007
    assert by_rows[0] == pytest.approx(least)
    assert by_rows[-2:] == [0.07, 0.07]
    rounds = (1, 100, 1000, 10_000)
    by_rounds = [automatic_learning_rate(loss, 5000, n, judged=judged) for n in rounds]
    assert by_rounds == sorted(by_rounds, reverse=True)
    assert by_rounds[0] == LARGEST_RATE


def test_classes_that_nobody_judges_get_smaller_steps_than_numbers():
    numbers = automatic_learning_rate("squared_error", 3000, 500, judged=False)
    unjudged = automatic_learning_rate("log_loss", 3000, 500, judged=False)
    judged = automatic_learning_rate("log_loss", 3000, 500, judged=True)
    assert unjudged < numbers
    assert unjudged < judged


@pytest.mark.parametrize("judged", [False, True])
def test_the_rarer_a_class_the_smaller_the_steps(judged):
    rates = [
        automatic_learning_rate("log_loss", 5000, 500, judged=judged, balance=balance)
        for balance in (0.0, 0.01, 0.1, 0.5, 1.0)
    ]
    assert rates == sorted(rates)
    assert rates[0] == pytest.approx(0.007)
    assert rates[0] < rates[3] < rates[-1]
    assert rates[-1] == automatic_learning_rate("log_loss", 5000, 500, judged=judged)
    # As many rows of the rare class are enough, however many there are of the other.
    many = automatic_learning_rate("log_loss", 10**7, 500, judged=judged, balance=0.01)
    assert many == 0.07


def test_numbers_know_no_balance():
    rates = {automatic_learning_rate("poisson", 5000, 500, judged=False, balance=b) for b in (0, 1)}
    assert len(rates) == 1


@pytest.mark.parametrize("counts", [(50, 50), (999, 1), (10, 20, 70), (25, 25, 25, 25)])
def test_balance_is_how_often_two_rows_differ(counts):
    shares = np.array(counts) / sum(counts)
    k = len(shares)
    expected = (1.0 - np.sum(shares**2)) / (1.0 - 1.0 / k)
    scores = np.log(shares) if k > 2 else [np.log(shares[1] / shares[0])]
    assert balance_of_classes(scores) == pytest.approx(expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifier_counts_its_classes(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    even = np.arange(2000) % n_classes
    rare = np.where(np.arange(2000) % 50 < n_classes, even, 0)
    rates, weighted = [], []
    for y in (even, rare):
        model = PLBoostClassifier(n_estimators=200, max_leaves=4).fit(X, y)
        rates.append(model.booster_.parameters["learning_rate"])
        balanced = PLBoostClassifier(n_estimators=200, max_leaves=4, class_weight="balanced")
        weighted.append(balanced.fit(X, y).booster_.parameters["learning_rate"])
    assert rates[1] < rates[0]
    assert weighted == pytest.approx([rates[0]] * 2)


def test_the_chosen_rate_is_that_of_the_model():
    X, y = problem()
    chosen = train({"n_estimators": 100, "max_leaves": 16}, Dataset(X, y, random_state=0))
    rate = automatic_learning_rate("squared_error", 400, 100, judged=False)
    assert chosen.parameters["learning_rate"] == rate < LARGEST_RATE
    parameters = {"n_estimators": 100, "max_leaves": 16, "learning_rate": rate}
    given = train(parameters, Dataset(X, y, random_state=0))
    assert (given.predict(X) == chosen.predict(X)).all()


def test_steps_become_longer_where_much_is_left_to_learn():
    rng = np.random.default_rng(0)
    X = (rng.uniform(size=(1500, 40)) < 0.2).astype(float)
    y = X @ rng.normal(size=40)
    chosen = PLBoostRegressor(random_state=0).fit(X[:1000], y[:1000])
    rate = chosen.booster_.parameters["learning_rate"]
    given = PLBoostRegressor(random_state=0, learning_rate=rate).fit(X[:1000], y[:1000])
    n_alike = int(3.0 / rate)
    assert outputs(chosen.booster_)[:n_alike] == outputs(given.booster_)[:n_alike]
    errors = [np.square(model.predict(X[1000:]) - y[1000:]).mean() for model in (chosen, given)]
    assert errors[0] < 0.8 * errors[1]


def test_a_row_twice_counts_as_a_row_of_weight_two():
    X, y = problem()
    twice = train({"n_estimators": 200}, Dataset(np.vstack([X, X]), np.hstack([y, y])))
    weighted = train({"n_estimators": 200}, Dataset(X, y, sample_weight=np.full(len(y), 2.0)))
    assert twice.parameters["learning_rate"] == weighted.parameters["learning_rate"]


def test_the_classifier_chooses_by_its_own_loss():
    X, y = problem()
    for subsample, judged in ((None, True), (0.5, True), (1.0, False)):
        model = PLBoostClassifier(n_estimators=300, max_leaves=4, subsample=subsample)
        balance = balance_of_share((y > 0.5).mean())
        expected = automatic_learning_rate("log_loss", 400, 300, judged=judged, balance=balance)
        assert model.fit(X, y > 0.5).booster_.parameters["learning_rate"] == expected


def outputs(model):
    """Return the largest output of each tree."""
    arrays = model._forest.to_arrays()
    n_leaves = (np.diff(arrays["tree_node_start"]) + 1) // 2
    parts = np.split(np.abs([arrays["leaf_low"], arrays["leaf_high"]]), np.cumsum(n_leaves), axis=1)
    return [part.max() for part in parts[:-1]]


def test_steps_of_classes_become_shorter_where_only_noise_is_left():
    X, _ = problem(500)
    y = np.random.default_rng(1).integers(2, size=500)
    chosen = train({"loss": "log_loss", "n_estimators": 100}, Dataset(X, y, random_state=0))
    rate = chosen.parameters["learning_rate"]
    given = train(
        {"loss": "log_loss", "n_estimators": 100, "learning_rate": rate},
        Dataset(X, y, random_state=0),
    )
    assert outputs(chosen)[0] == outputs(given)[0]
    # Means of noise are small in both, so that more than a hundredth is left.
    assert outputs(chosen)[-1] < 0.2 * outputs(given)[-1]


@pytest.mark.parametrize("other_data", [False, True])
def test_steps_stay_short_when_a_warm_start_goes_on(other_data):
    X, _ = problem(600)
    y = np.random.default_rng(1).integers(2, size=600)
    model = PLBoostClassifier(n_estimators=100, max_leaves=16, warm_start=True, random_state=0)
    model.fit(X, y).set_params(n_estimators=130)
    rate = model.booster_.parameters["learning_rate"]
    model.fit(X[::-1] if other_data else X, y[::-1] if other_data else y)
    assert model.n_iter_ == 130
    assert model.booster_.parameters["learning_rate"] == rate
    sizes = outputs(model.booster_)
    assert sizes[-1] < 0.1 * sizes[0]


def test_a_warm_start_keeps_what_steps_have_learned():
    X, y = problem(600)
    y = y + np.random.default_rng(1).normal(size=600) > 0.5
    model = PLBoostClassifier(n_estimators=30, warm_start=True, random_state=0).fit(X, y)
    model.set_params(n_estimators=60).fit(X, y)
    rate = model.booster_.parameters["learning_rate"]
    balance = balance_of_share(y.mean())
    assert rate == automatic_learning_rate("log_loss", 600, 30, judged=True, balance=balance)
    # The rate of 60 rounds is another one, so it takes a callback to train them at once.
    schedule = LearningRateSchedule(lambda _: rate)
    at_once = PLBoostClassifier(n_estimators=60, random_state=0)
    at_once.fit(X, y, callbacks=[schedule])
    np.testing.assert_array_equal(model.predict_proba(X), at_once.predict_proba(X))


def test_a_warm_start_keeps_the_rate_of_its_first_rounds():
    X, y = problem()
    model = PLBoostRegressor(n_estimators=50, warm_start=True, random_state=0).fit(X, y)
    first = model.booster_.parameters["learning_rate"]
    model.set_params(n_estimators=400).fit(X, y)
    assert model.n_iter_ == 400
    assert model.booster_.parameters["learning_rate"] == first
    at_once = PLBoostRegressor(n_estimators=400, learning_rate=first, random_state=0).fit(X, y)
    assert (model.predict(X) == at_once.predict(X)).all()
