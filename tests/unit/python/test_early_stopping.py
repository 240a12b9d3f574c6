from __future__ import annotations

import numpy as np
import pytest

from plboost import Booster, Dataset, PLBoostClassifier, PLBoostRegressor, train
from plboost.callbacks import EarlyStopping
from plboost.sklearn.holdout import held_back_rows
from tests.unit.python.conftest import smooth_problem

SMALL = {"max_leaves": 4, "min_samples_leaf": 5}


def scripted(values, *, greater_is_better=False, name="scripted"):
    """Return a metric that takes the given values one after another."""
    left = iter(values)

    def metric(y, prediction):
        return next(left)

    metric.__name__ = name
    metric.greater_is_better = greater_is_better
    return metric


def trained(values, *, n_iter_no_change=3, tol=0.0, greater_is_better=False):
    X, y = smooth_problem()
    metric = scripted(values, greater_is_better=greater_is_better)
    stopping = EarlyStopping(n_iter_no_change, tol=tol)
    booster = train(
        {**SMALL, "n_estimators": len(values)},
        Dataset(X, y),
        eval_sets={"valid": (X, y)},
        eval_metric=metric,
        callbacks=[stopping],
    )
    assert stopping.best_round == booster.best_round
    return booster.best_round, booster.n_rounds


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 2, 1, 1, 1, 1, 0], (3, 6)),  # equal is no improvement
        ([3, 2, 1, 4, 4, 0, 5], (6, 7)),
        ([1, 2, 3, 4, 5], (1, 4)),
        ([5, 4, 3, 2, 1], (5, 5)),
        ([np.nan, np.nan, 1, np.nan, np.nan, np.nan, 0], (3, 6)),
        ([np.inf, np.inf, 1, 2, 0], (5, 5)),
    ],
)
def test_it_stops_when_nothing_improves_and_keeps_the_best(values, expected):
    assert trained(values) == expected
    assert trained([-v for v in values], greater_is_better=True) == expected


def test_an_improvement_must_exceed_the_tolerance():
    assert trained([3, 2.5, 2.1, 1.9, 1.6, 1.5], tol=1.0, n_iter_no_change=5) == (4, 6)
    assert trained([3, 2.5, 2.1, 1.9, 1.6, 1.5], tol=2.0, n_iter_no_change=4) == (1, 5)


def test_a_metric_that_is_always_nan_gives_a_warning():
    with pytest.warns(UserWarning, match="scripted of valid was NaN in every round"):
        assert trained([np.nan] * 8) == (None, 3)


def test_the_set_and_the_metric_that_decide_can_be_named(problem):
    X, y = problem
    sets = {"a": (X[:20], y[:20]), "b": (X[20:40], y[20:40])}
    # Called in the order first a, second a, first b, second b.
    first = scripted(range(100, 0, -1), name="first")
    second = scripted([9, 1, 8, 2, 7, 3, 6, 4, 5, 5, 4, 6], name="second")
    params = {**SMALL, "n_estimators": 6}
    dataset = Dataset(X, y)
    stopping = EarlyStopping(3, set_name="b", metric="second")
    booster = train(
        params, dataset, eval_sets=sets, eval_metric=[first, second], callbacks=[stopping]
    )
    assert (booster.best_round, booster.n_rounds) == (1, 4)
    for given, message in [
        ({"set_name": "c"}, r"set_name must be one of the evaluation sets \['a', 'b'\], got 'c'"),
        ({"metric": "auc"}, r"metric must be one of the computed metrics \['rmse'\], got 'auc'"),
    ]:
        with pytest.raises(ValueError, match=message):
            train(params, dataset, eval_sets=sets, callbacks=[EarlyStopping(**given)])


def test_it_needs_an_evaluation_set(problem):
    with pytest.raises(ValueError, match="no evaluation set to measure the model on"):
        train({}, Dataset(*problem), callbacks=[EarlyStopping()])


@pytest.mark.parametrize(
    "given", [{"n_iter_no_change": 0}, {"tol": -1.0}, {"n_iter_no_change": 1.5}, {"tol": "0"}]
)
def test_wrong_settings_are_refused_by_name(given):
    (name,) = given
    with pytest.raises((TypeError, ValueError), match=f"{name} must be"):
        EarlyStopping(**given)


def noisy(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n)


def test_predictions_use_the_best_round_also_from_a_file(tmp_path):
    X, y = noisy()
    model = PLBoostRegressor(n_estimators=300, early_stopping=True, **SMALL)
    model.fit(X[:300], y[:300], eval_set=(X[300:], y[300:]))
    curve = model.evals_result_["eval_0"]["rmse"]
    best = int(np.argmin(curve)) + 1
    assert (model.best_iteration_, model.n_iter_) == (best, best + 10)
    booster = model.booster_
    booster.save(tmp_path / "model.plb")
    for one in (booster, Booster.load(tmp_path / "model.plb")):
        assert one.best_round == best
        chosen = one.predict(X, n_rounds=best)
        assert one.predict(X).tobytes() == chosen.tobytes() == model.predict(X).tobytes()
        everything = one.predict(X, n_rounds="all")
        assert everything.tobytes() == one.predict(X, n_rounds=best + 10).tobytes()
        assert everything.tobytes() != chosen.tobytes()
        staged = list(one.staged_predict(X))
        assert len(staged) == best + 10
        assert staged[best - 1].tobytes() == chosen.tobytes()
        # Importances are those of the trees that predict.
        nodes = one.to_frame()
        used = nodes[(nodes["tree"] < best) & (nodes["kind"] == "split")]
        assert one.feature_importance("split").sum() == len(used)


def test_early_stopping_changes_no_round():
    X, y = noisy()
    stopped = PLBoostRegressor(n_estimators=60, early_stopping=True, random_state=1, **SMALL)
    plain = PLBoostRegressor(n_estimators=60, random_state=1, **SMALL)
    for model in (stopped, plain):
        model.fit(X[:300], y[:300], eval_set=(X[300:], y[300:]))
    assert plain.best_iteration_ == plain.n_iter_ == 60
    expected = plain.booster_.predict(X, n_rounds=stopped.best_iteration_)
    assert stopped.predict(X).tobytes() == expected.tobytes()


@pytest.mark.parametrize("split", ["random", "time"])
@pytest.mark.parametrize("weighted", [False, True])
def test_without_a_set_rows_are_held_back(split, weighted):
    X, y = noisy()
    weight = np.random.default_rng(1).integers(0, 3, size=len(y)) if weighted else None
    counted = np.full(len(y), True) if weight is None else weight > 0
    held_back = held_back_rows(counted, fraction=0.2, split=split, seed=7, classes=None)
    model = PLBoostRegressor(
        n_estimators=40,
        early_stopping=True,
        validation_fraction=0.2,
        validation_split=split,
        random_state=7,
        **SMALL,
    )
    model.fit(X, y, sample_weight=weight)
    by_hand = PLBoostRegressor(n_estimators=40, early_stopping=True, random_state=7, **SMALL)
    parts = [X[held_back], y[held_back]] + ([] if weight is None else [weight[held_back]])
    rest = ~held_back
    by_hand.fit(X[rest], y[rest], None if weight is None else weight[rest], eval_set=tuple(parts))
    assert list(model.evals_result_) == ["validation"]
    assert model.evals_result_["validation"] == by_hand.evals_result_["eval_0"]
    assert model.predict(X).tobytes() == by_hand.predict(X).tobytes()


def test_of_each_class_the_same_part_is_held_back():
    classes = np.array([0] * 100 + [1] * 20 + [2] * 1)
    counted = np.full(121, True)
    counted[:50] = False
    held_back = held_back_rows(counted, fraction=0.1, split="random", seed=0, classes=classes)
    assert [int(held_back[classes == c].sum()) for c in range(3)] == [5, 2, 0]
    assert not held_back[:50].any()
    # Rows of weight 0 might as well not be there.
    alone = held_back_rows(
        np.full(71, True), fraction=0.1, split="random", seed=0, classes=classes[50:]
    )
    assert alone.tolist() == held_back[50:].tolist()


def test_a_classifier_stops_early_with_labels_of_any_kind():
    X, y = noisy()
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.5])]
    model = PLBoostClassifier(
        n_estimators=200, learning_rate=0.3, early_stopping=True, random_state=0, **SMALL
    )
    model.fit(X, labels)
    curve = model.evals_result_["validation"]["log_loss"]
    assert model.best_iteration_ == np.argmin(curve) + 1 < model.n_iter_ < 200
    proba = list(model.staged_predict_proba(X))[model.best_iteration_ - 1]
    assert model.predict_proba(X).tobytes() == proba.tobytes()


def test_of_some_named_metrics_more_is_better():
    X, y = noisy()
    model = PLBoostClassifier(n_estimators=60, early_stopping=True, random_state=0, **SMALL)
    model.fit(X, y > 0, eval_metric=["auc", "log_loss"])
    curve = model.evals_result_["validation"]["auc"]
    assert model.best_iteration_ == np.argmax(curve) + 1
    assert model.n_iter_ == min(60, model.best_iteration_ + 10)
    assert np.argmin(curve) + 1 != model.best_iteration_


def test_too_few_rows_to_hold_back():
    with pytest.raises(ValueError, match=r"validation_fraction=0.1 holds back 0 of 1 rows"):
        PLBoostRegressor(early_stopping=True).fit([[1.0]], [1.0])


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"early_stopping": "auto"}, TypeError, "early_stopping must be True or False"),
        ({"validation_fraction": 1.0}, ValueError, "validation_fraction must be a number > 0"),
        ({"validation_split": "last"}, ValueError, "validation_split must be one of 'random'"),
        ({"n_iter_no_change": 0}, ValueError, "n_iter_no_change must be an integer >= 1"),
        ({"tol": -0.1}, ValueError, "tol must be a finite number >= 0"),
        ({"warm_start": 1}, TypeError, "warm_start must be True or False"),
    ],
)
def test_wrong_parameters_of_the_estimators_are_refused(problem, params, error, message):
    with pytest.raises(error, match=message):
        PLBoostRegressor(**params).fit(*problem)


def test_train_says_where_they_belong(problem):
    with pytest.raises(ValueError, match="'early_stopping' does not go into params: the estim"):
        train({"early_stopping": True}, Dataset(*problem))


@pytest.mark.parametrize("n_rounds", ["best", 1.5, True])
def test_a_wrong_number_of_rounds_is_refused(booster, n_rounds):
    with pytest.raises(TypeError, match="n_rounds must be None, 'all' or an integer"):
        booster.predict(np.zeros((1, booster.n_features)), n_rounds=n_rounds)
