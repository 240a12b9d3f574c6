from __future__ import annotations

import warnings

import numpy as np
import pytest

from plboost import Dataset, train


def rmse(y, prediction, weight=None):
    return float(np.sqrt(np.average((y - prediction) ** 2, weights=weight)))


def log_loss(y, p, weight=None):
    return float(np.average(-np.where(y == 1, np.log(p), np.log1p(-p)), weights=weight))


@pytest.mark.parametrize(("loss", "metric"), [("squared_error", rmse), ("log_loss", log_loss)])
@pytest.mark.parametrize("weighted", [False, True])
def test_history_is_the_metric_of_every_round(problem, loss, metric, weighted):
    X, y = problem
    if loss == "log_loss":
        y = (y > np.median(y)).astype(float)
    weight = np.linspace(0, 3, len(y))
    sets = {"all": (X, y, weight) if weighted else (X, y), "few": (X[:7].tolist(), y[:7].tolist())}
    booster = train({"loss": loss, "n_estimators": 5}, Dataset(X, y), eval_sets=sets)
    expected = {
        "all": [metric(y, p, weight if weighted else None) for p in booster.staged_predict(X)],
        "few": [metric(y[:7], p) for p in booster.staged_predict(X[:7])],
    }
    for name, curve in expected.items():
        np.testing.assert_allclose(booster.history[name][metric.__name__], curve, rtol=1e-9)


def test_evaluation_does_not_change_the_model(problem):
    plain = train({"n_estimators": 4}, Dataset(*problem))
    watched = train({"n_estimators": 4}, Dataset(*problem), eval_sets={"valid": problem})
    assert [plain.tree(i) for i in range(4)] == [watched.tree(i) for i in range(4)]
    assert plain.history == {}


def test_an_empty_dict_of_sets_is_no_set(problem):
    assert train({"n_estimators": 1}, Dataset(*problem), eval_sets={}).history == {}


def test_parameters_are_recorded_with_the_defaults_filled_in(problem):
    booster = train({"n_estimators": 1, "l2": 3}, Dataset(*problem))
    assert booster.parameters["l2_slopes"] == 3.0
    assert booster.parameters["fitting"] == "half_additive"


@pytest.mark.parametrize(
    ("sets", "error", "message"),
    [
        ([(1, 2)], TypeError, "eval_sets must be a dict"),
        ({3: ()}, TypeError, "the names of eval_sets must be strings, got 3"),
        ({"v": 3}, ValueError, r"eval_sets\['v'\] must be \(X, y\) or .* got int"),
        ({"v": (1,)}, ValueError, r"eval_sets\['v'\] must be .* got tuple of length 1"),
        (
            {"v": (np.zeros((5, 2)), np.zeros(5))},
            ValueError,
            "X of eval set 'v' has 2 features, but the model was trained with 3",
        ),
        (
            {"v": (np.zeros((5, 3)), np.zeros(4))},
            ValueError,
            "y of eval set 'v' has 4 values, but X has 5 rows",
        ),
        (
            {"v": (np.zeros((5, 3)), np.zeros((5, 2)))},
            ValueError,
            r"y of eval set 'v' has the shape \(5, 2\), but y of the training data has one dim",
        ),
        (
            {"v": (np.zeros((2, 3)), [np.nan, 1])},
            ValueError,
            "Input y of eval set 'v' contains NaN in 1 of 2 rows, first in row 0",
        ),
        (
            {"v": (np.zeros((2, 3)), [0, 1], [0, 0])},
            ValueError,
            "all values of sample_weight of eval set 'v' are zero",
        ),
    ],
)
def test_wrong_evaluation_sets_are_refused(problem, sets, error, message):
    with pytest.raises(error, match=message):
        train({}, Dataset(*problem), eval_sets=sets)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, 3], r"y must number the classes 0, 1, 2 and so on .* got 3 in 3 rows"),
        ([0, 2, 2], r"y must hold every class from 0 to 2 .* got nothing of class 1"),
        ([0.5, 0, 1], r"y must hold 0 and 1 only for loss='log_loss', got 0.5"),
        ([1, 1, 1], r"y must hold two classes with positive weight .* got only 1"),
    ],
)
def test_log_loss_needs_two_classes(y, message):
    with pytest.raises(ValueError, match=message):
        train({"loss": "log_loss"}, Dataset(np.zeros((3, 1)), y))


def test_log_loss_needs_two_classes_among_the_rows_that_count():
    dataset = Dataset(np.zeros((3, 1)), [0, 1, 1], sample_weight=[0, 1, 1])
    with pytest.raises(ValueError, match="y must hold two classes with positive weight"):
        train({"loss": "log_loss"}, dataset)


def test_log_loss_refuses_other_targets_in_an_evaluation_set():
    dataset = Dataset(np.zeros((3, 1)), [0, 1, 1])
    sets = {"v": (np.zeros((2, 1)), [0, 0.25])}
    with pytest.raises(ValueError, match=r"got 0.25 in row 1 of eval set 'v'"):
        train({"loss": "log_loss"}, dataset, eval_sets=sets)


def test_the_dataset_must_be_one(problem):
    with pytest.raises(TypeError, match=r"dataset must be a plboost.Dataset, got tuple"):
        train({}, problem)


def test_weights_too_small_for_any_split_give_a_warning(problem):
    X, y = problem
    dataset = Dataset(X, y, sample_weight=np.full(len(y), 0.1))
    with pytest.warns(UserWarning, match="the sample weights sum to 24, less than twice"):
        booster = train({"n_estimators": 1}, dataset)
    assert len(booster.tree(0).nodes) == 1


def test_few_rows_give_no_warning(problem):
    X, y = problem
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train({"n_estimators": 1}, Dataset(X[:30], y[:30], sample_weight=np.full(30, 0.5)))


def test_an_error_in_the_progress_display_stops_the_training(problem, monkeypatch):
    seen = []

    def fail(_, round_index, __):
        seen.append(round_index)
        raise OSError("the terminal is gone")

    monkeypatch.setattr("plboost.progress.Progress.update", fail)
    with pytest.raises(OSError, match="the terminal is gone"):
        train({"n_estimators": 50}, Dataset(*problem), verbose=1)
    assert seen == [0]
