"""Losses and metrics that the user gives as functions."""

from __future__ import annotations

import os
import pickle
import time

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error

from plboost import Booster, Dataset, PLBoostClassifier, PLBoostRegressor, train

# With a rate that is given: steps of a loss of classes adapt otherwise.
PARAMS = {"n_estimators": 6, "max_leaves": 5, "learning_rate": 0.1}


def squared(y_true, raw_score):
    return raw_score - y_true, np.ones_like(raw_score)


def logistic(y_true, raw_score):
    p = 1 / (1 + np.exp(-raw_score))
    return p - y_true, np.maximum(p * (1 - p), np.abs(p - y_true) / 8)


def softmax(y_true, raw_score):
    powers = np.exp(raw_score - raw_score.max(axis=1, keepdims=True))
    p = powers / powers.sum(axis=1, keepdims=True)
    g = p - np.eye(3)[y_true.astype(int)]
    return g, np.maximum(p * (1 - p) * 3 / 2, np.abs(g) / 8)


softmax.n_outputs = 3


def with_attributes(function, **attributes):
    def copy(y_true, raw_score):
        return function(y_true, raw_score)

    for name, value in attributes.items():
        setattr(copy, name, value)
    return copy


@pytest.mark.parametrize("weighted", [False, True])
def test_a_written_out_loss_is_the_built_in_one(problem, weighted):
    X, y = problem
    target = (y > np.median(y)).astype(float)
    weight = np.linspace(0, 3, len(y)) if weighted else None  # the first row has no weight
    built_in = train(PARAMS | {"loss": "log_loss"}, Dataset(X, target, sample_weight=weight))
    own = with_attributes(logistic, initial_score=built_in.base_score)
    custom = train(PARAMS | {"loss": own}, Dataset(X, target, sample_weight=weight))
    assert (custom.loss, custom.parameters["loss"]) == ("custom", "custom")
    np.testing.assert_allclose(
        custom.predict(X), built_in.predict(X, raw_score=True), rtol=1e-5, atol=1e-6
    )


def test_several_outputs(problem):
    X, y = problem
    target = np.digitize(y, np.quantile(y, [0.3, 0.6])).astype(float)
    built_in = train(PARAMS | {"loss": "log_loss"}, Dataset(X, target))
    own = with_attributes(softmax, n_outputs=3, initial_score=built_in.base_score)
    custom = train(PARAMS | {"loss": own}, Dataset(X, target))
    assert custom.n_outputs == 3
    np.testing.assert_allclose(
        custom.predict(X), built_in.predict(X, raw_score=True), rtol=1e-4, atol=1e-5
    )


def test_columns_of_targets_are_outputs(problem):
    X, y = problem
    Y = np.column_stack([y, X[:, 0]])
    booster = train({"loss": squared, "n_estimators": 80}, Dataset(X, Y))
    assert booster.predict(X).shape == Y.shape
    assert np.abs(booster.predict(X) - Y).mean(axis=0).max() < 0.3


def test_rows_come_in_the_order_of_the_user(problem):
    X, y = problem
    weight = np.ones(len(y))
    weight[::5] = 0
    seen = []

    def loss(y_true, raw_score):
        seen.append((y_true.copy(), raw_score.copy()))
        return squared(y_true, raw_score)

    offset = np.arange(float(len(y)))
    train(PARAMS | {"loss": loss}, Dataset(X, y, sample_weight=weight, init_score=offset))
    assert len(seen) == 6
    for y_true, _ in seen:
        np.testing.assert_array_equal(y_true, y[weight > 0])
    np.testing.assert_array_equal(seen[0][1], offset[weight > 0])


def test_predictions_are_scores_also_from_a_file(problem):
    X, y = problem
    booster = train(PARAMS | {"loss": squared}, Dataset(X, y))
    again = Booster.from_bytes(booster.to_bytes())
    assert again.loss == "custom"
    assert again.predict(X).tobytes() == booster.predict(X, raw_score=True).tobytes()


def test_the_name_alone_is_refused(problem):
    with pytest.raises(ValueError, match=r"loss must be one of .* or a function, got 'custom'"):
        train({"loss": "custom"}, Dataset(*problem))


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        (lambda y, s: s, TypeError, r"must return a tuple \(gradient, hessian\), got ndarray"),
        (lambda y, s: (s, s, s), TypeError, "must return a tuple"),
        (lambda y, s: (s[1:], s), ValueError, r"gradient .* shape \(240,\) .* got \(239,\)"),
        (lambda y, s: (s, 1.0), ValueError, r"hessian .* shape \(240,\) .* got \(\)"),
        (lambda y, s: (s[:, None], s), ValueError, r"got \(240, 1\)"),
        (lambda y, s: ("a", s), TypeError, "gradient .* must be an array of numbers, got str"),
        (lambda y, s: (s + np.nan, s), ValueError, "gradient .* must be finite, got nan in row 0"),
        (lambda y, s: (s, s + np.inf), ValueError, "hessian .* must be finite, got inf in row 0"),
        (lambda y, s: (s, s - 1), ValueError, "hessian .* must not be negative, got -1.0 in row 0"),
        (lambda y, s: (s + 1e300, s + 1), ValueError, "gradient of a loss must be finite in"),
        (lambda y, s: y.fill(0), ValueError, "read-only"),
        (with_attributes(squared, n_outputs=0), ValueError, "n_outputs .* between 1 and"),
        (with_attributes(squared, n_outputs="2"), TypeError, "n_outputs .* must be an int"),
        (with_attributes(squared, initial_score=np.nan), ValueError, "initial_score .* finite"),
        (with_attributes(squared, initial_score=[1, 2]), ValueError, "initial_score .* 1 outputs"),
    ],
)
def test_what_a_loss_returns_is_checked(problem, loss, error, message):
    with pytest.raises(error, match=message):
        train(PARAMS | {"loss": loss}, Dataset(*problem))


def threads_left():
    """Count the threads; one that was joined may stay listed for a moment."""
    time.sleep(0.2)
    return len(os.listdir("/proc/self/task"))


def test_errors_of_the_user_come_out_and_leave_no_thread(problem):
    data = Dataset(*problem)
    train(PARAMS, data, n_jobs=3)
    before = threads_left()
    calls = []

    def fails(y_true, raw_score):
        calls.append(len(calls))
        if len(calls) == 3:
            raise ZeroDivisionError("in the third round")
        return squared(y_true, raw_score)

    with pytest.raises(ZeroDivisionError, match="in the third round") as caught:
        train(PARAMS | {"loss": fails}, data, n_jobs=3)
    # The traceback holds the frame of the training; its threads are gone all the same.
    assert caught.tb is not None
    assert threads_left() == before
    assert calls == [0, 1, 2]

    def bad_metric(y_true, prediction):
        raise KeyError("metric")

    with pytest.raises(KeyError, match="metric"):
        train(PARAMS, data, eval_sets={"a": problem}, eval_metric=bad_metric, n_jobs=3)
    assert threads_left() == before


def median_error(y_true, prediction):
    return np.median(np.abs(y_true - prediction))


def hit_rate(y_true, prediction):
    return np.mean((prediction > 0.5) == y_true)


hit_rate.greater_is_better = True


def test_metrics_by_name_and_by_function(problem):
    X, y = problem
    sets = {"all": (X, y), "few": (X[:9], y[:9])}
    metrics = [median_error, "rmse", mean_absolute_error]
    booster = train(PARAMS, Dataset(X, y), eval_sets=sets, eval_metric=metrics)
    default = train(PARAMS, Dataset(X, y), eval_sets=sets)
    for name, (features, target) in sets.items():
        stages = list(booster.staged_predict(features))
        history = booster.history[name]
        assert list(history) == ["median_error", "rmse", "mean_absolute_error"]
        assert history["rmse"] == default.history[name]["rmse"]
        assert history["median_error"] == [median_error(target, p) for p in stages]
    assert [booster.tree(i) for i in range(6)] == [default.tree(i) for i in range(6)]


def test_metrics_see_predictions_and_weights(problem):
    X, y = problem
    target, weight = np.where(y > np.median(y), "yes", "no"), np.linspace(1, 2, len(y))
    seen = []

    def shares(y_true, prediction, sample_weight):
        seen.append((y_true, prediction, sample_weight))
        return 0

    model = PLBoostClassifier(n_estimators=2).fit(
        X, target, eval_set=(X, target, weight), eval_metric=["log_loss", shares]
    )
    assert model.evals_result_["eval_0"]["shares"] == [0.0, 0.0]
    y_true, prediction, sample_weight = seen[-1]
    np.testing.assert_array_equal(y_true, target == "yes")
    np.testing.assert_allclose(prediction, model.predict_proba(X)[:, 1])
    np.testing.assert_array_equal(sample_weight, weight)


def test_metrics_of_several_outputs(problem):
    X, y = problem
    target = np.digitize(y, np.quantile(y, [0.3, 0.6]))

    def accuracy(y_true, prediction):
        return np.mean(prediction.argmax(axis=1) == y_true)

    model = PLBoostClassifier(n_estimators=3).fit(
        X, target, eval_set=(X, target), eval_metric=accuracy
    )
    expected = [np.mean(labels == target) for labels in model.staged_predict(X)]
    assert model.evals_result_ == {"eval_0": {"accuracy": expected}}


@pytest.mark.parametrize(
    ("metric", "error", "message"),
    [
        ("speed", ValueError, "metric must be one of .*; got 'speed'"),
        (3, TypeError, r"eval_metric must be the name of a metric, .* got 3 \(int\)"),
        (["rmse", "rmse"], ValueError, "eval_metric names 'rmse' twice"),
        ([median_error, median_error], ValueError, "names 'median_error' twice"),
        (lambda y, p: "good", TypeError, r"must return a number, got 'good' \(str\)"),
        (lambda y, p: y, TypeError, "must return a number"),
        ([], ValueError, "eval_sets need an eval_metric"),
    ],
)
def test_wrong_metrics_are_refused(problem, metric, error, message):
    with pytest.raises(error, match=message):
        train(PARAMS, Dataset(*problem), eval_sets={"a": problem}, eval_metric=metric)


def test_weights_need_a_metric_that_takes_them(problem):
    X, y = problem
    sets = {"a": (X, y, np.ones(len(y)))}
    with pytest.raises(ValueError, match="eval set 'a' has weights, but the metric median_error"):
        train(PARAMS, Dataset(X, y), eval_sets=sets, eval_metric=median_error)


def test_a_loss_without_curvature_is_refused(problem):
    X, y = problem
    flat = PARAMS | {"loss": lambda y_true, score: (score - y_true, np.full_like(score, 1e-300))}
    with pytest.raises(ValueError, match=r"hessian of the loss .* is 0 in all rows"):
        train(flat, Dataset(X, y))
    still = PARAMS | {"loss": lambda y_true, score: (0 * score, 0 * score)}
    assert np.isfinite(train(still, Dataset(X, y)).predict(X)).all()


def test_a_metric_cannot_change_what_it_measures(problem):
    def greedy(y_true, prediction):
        y_true -= prediction
        return float(np.abs(y_true).mean())

    X, y = problem
    with pytest.raises(ValueError, match="read-only"):
        train(PARAMS, Dataset(X, y), eval_sets={"a": (X, y)}, eval_metric=greedy)


def test_a_custom_loss_needs_a_metric_where_there_are_sets(problem):
    X, y = problem
    with pytest.raises(ValueError, match=r"need an eval_metric, .* the loss is a function"):
        train(PARAMS | {"loss": squared}, Dataset(X, y), eval_sets={"a": (X, y)})
    booster = train(
        PARAMS | {"loss": squared}, Dataset(X, y), eval_sets={"a": (X, y)}, eval_metric="rmse"
    )
    last = np.sqrt(np.mean((booster.predict(X) - y) ** 2))
    assert booster.history["a"]["rmse"][-1] == pytest.approx(last)


def test_estimators_pass_their_metrics_on(problem):
    X, y = problem
    model = PLBoostRegressor(n_estimators=2).fit(X, y, eval_set=(X, y), eval_metric=median_error)
    assert len(model.evals_result_["eval_0"]["median_error"]) == 2
    assert pickle.loads(pickle.dumps(model)).evals_result_ == model.evals_result_
