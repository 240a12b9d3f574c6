from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import VotingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from plboost import PLBoostClassifier, PLBoostRegressor, _core
from plboost.callbacks import Callback

ESTIMATORS = [PLBoostRegressor, PLBoostClassifier]


def labels(y: np.ndarray) -> np.ndarray:
    return np.where(y > np.median(y), "high", "low")


def fitted(estimator, problem, **parameters):
    X, y = problem
    model = estimator(n_estimators=8, random_state=0, **parameters)
    return model.fit(X, labels(y) if estimator is PLBoostClassifier else y)


def test_attributes(problem):
    model = fitted(PLBoostRegressor, problem)
    assert (model.n_iter_, model.n_features_in_, model.booster_.n_trees) == (8, 3, 8)
    assert model.evals_result_ == {}
    assert not hasattr(model, "feature_names_in_")
    gains = model.booster_.feature_importance("gain")
    np.testing.assert_allclose(model.feature_importances_, gains / gains.sum(), rtol=1e-15)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_importances_without_a_split_are_zero(problem, estimator):
    model = fitted(estimator, problem, max_leaves=1)
    np.testing.assert_array_equal(model.feature_importances_, np.zeros(3))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_nothing_works_before_fit(estimator):
    for name in ("predict", "staged_predict", "decision_function", "predict_proba"):
        if hasattr(estimator, name):
            with pytest.raises(NotFittedError):
                next(iter(getattr(estimator(), name)(np.zeros((1, 1)))))
    assert not hasattr(estimator(), "feature_importances_")


def test_regressor_predicts_what_its_booster_predicts(problem):
    model = fitted(PLBoostRegressor, problem)
    X, y = problem
    np.testing.assert_array_equal(model.predict(X), model.booster_.predict(X))
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.predict(X))
    assert model.score(X, y) > 0.4


def test_classifier_is_consistent_with_itself(problem):
    model = fitted(PLBoostClassifier, problem)
    X, y = problem
    assert model.classes_.tolist() == ["high", "low"]
    scores, probabilities = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_array_equal(scores, model.booster_.predict(X, raw_score=True))
    np.testing.assert_array_equal(probabilities[:, 1], model.booster_.predict(X))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-15)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(scores > 0).astype(int)])
    np.testing.assert_array_equal(model.predict(X), model.classes_[probabilities.argmax(axis=1)])
    assert model.score(X, labels(y)) > 0.8
    stages = zip(model.staged_predict(X), model.staged_predict_proba(X), strict=True)
    *_, (last, last_probabilities) = stages
    np.testing.assert_array_equal(last, model.predict(X))
    np.testing.assert_array_equal(last_probabilities, probabilities)


def test_small_probabilities_of_both_classes_are_exact():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    model = PLBoostClassifier(n_estimators=400, learning_rate=1.0, l2=0.0, min_hessian=0.0)
    probabilities = model.fit(X, X[:, 0]).predict_proba([[0.0], [1.0]])
    scores = model.decision_function([[0.0], [1.0]])
    assert abs(scores).min() > 40, "the scores must be so large that 1 - p is 0"
    assert probabilities[0, 1] > 0
    assert probabilities[1, 0] > 0


@pytest.mark.parametrize("y", [[False, True], [0, 1], [-1.0, 1.0], ["a", "b"], [10, 2]])
def test_labels_of_all_kinds_come_back(problem, y):
    X = problem[0]
    classes = np.array(y)
    target = classes[(X[:, 0] > 0).astype(int)]
    model = PLBoostClassifier(n_estimators=5).fit(X, target)
    assert model.predict(X).dtype == target.dtype
    assert (model.predict(X) == target).mean() > 0.9


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_evaluation_sets(problem, estimator):
    X, y = problem
    y = labels(y) if estimator is PLBoostClassifier else y
    metric = "log_loss" if estimator is PLBoostClassifier else "rmse"
    weight = np.arange(1.0, len(y) + 1)
    results = [
        estimator(n_estimators=3, random_state=0).fit(X, y, eval_set=eval_set).evals_result_
        for eval_set in (
            (X, y, weight),
            [(X, y, weight)],
            [[X, y, weight]],
            ((X, y), (X, y, weight)),
        )
    ]
    assert list(results[0]) == ["eval_0"]
    assert len(results[0]["eval_0"][metric]) == 3
    assert results[0] == results[1] == results[2]
    assert results[3]["eval_1"] == results[0]["eval_0"]
    assert results[3]["eval_0"] != results[0]["eval_0"]


def test_an_evaluation_set_with_other_columns_is_named(problem):
    X, y = problem
    with pytest.raises(ValueError, match=r"eval_set\[1\]: X has 1 features"):
        PLBoostRegressor(n_estimators=2).fit(X, y, eval_set=[(X, y), (X[:, :1], y)])


def test_an_evaluation_set_may_have_one_class_only(problem):
    X, y = problem
    model = PLBoostClassifier(n_estimators=2).fit(X, labels(y), eval_set=(X[:3], ["low"] * 3))
    expected = [-np.log(p[:, 1]).mean() for p in model.staged_predict_proba(X[:3])]
    np.testing.assert_allclose(model.evals_result_["eval_0"]["log_loss"], expected)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_row_and_one_column(estimator):
    if estimator is PLBoostRegressor:
        model = estimator().fit([[1.0]], [3.0])
        np.testing.assert_array_equal(model.predict([[1.0], [np.nan]]), [3.0, 3.0])
    model = estimator().fit([[1.0], [2.0]], [0, 1])
    assert model.predict([[1.5]]).shape == (1,)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_columns_of_nothing_but_missing_or_infinite_values(problem, estimator):
    X, y = problem
    odd = np.column_stack([X, np.full(len(y), np.nan), np.full(len(y), np.inf)])
    model = fitted(estimator, (odd, y))
    odd[:, 3] = 7.0
    assert np.isfinite(model.booster_.predict(odd)).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_int_seeds_give_one_model_bit_for_bit(problem, estimator):
    first, second = (fitted(estimator, problem).booster_.to_bytes() for _ in range(2))
    assert first == second


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_parameter_reaches_the_core(problem, estimator, monkeypatch):
    seen = {}

    def recorded(name):
        original = getattr(_core, name)

        def call(*args, **kwargs):
            seen[name] = (args, kwargs)
            return original(*args, **kwargs)

        return call

    for name in ("Dataset", "Trainer"):
        monkeypatch.setattr(_core, name, recorded(name))
    options = {
        "max_leaves": 9,
        "max_depth": 4,
        "min_samples_leaf": 2.5,
        "min_hessian": 0.25,
        "min_gain": 0.125,
        "min_samples_category": 3.5,
        "category_smoothing": 1.5,
        "l2": 2.0,
        "l2_slopes": 3.0,
        "max_regressors": 2,
        "fitting": "additive",
        "regressors": "path",
        "repeated": "refit",
        "penalty": "paper",
        "refit_leaves": False,
        "extrapolation": "linear",
        "split_sample": 0.5,
        "split_sample_rows": 2048,
    }
    X, y = problem
    model = estimator(n_estimators=2, max_bins=17, random_state=123, n_jobs=3, **options)
    model.fit(X, y if estimator is PLBoostRegressor else labels(y))
    assert seen["Dataset"][1] == {
        "max_bins": 17, "seed": 123, "n_threads": 3, "model": None, "n_categories": [],
        "query_sizes": None,
    }  # fmt: skip
    (_, given, _), run = seen["Trainer"]
    assert run == {"n_threads": 3}
    assert given.seed == 123
    assert model.n_iter_ == 2
    assert {name: getattr(given, name) for name in options} == options
    assert given.loss == model.booster_.loss == estimator._loss


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_verbose_shows_the_progress(problem, estimator, capsys):
    fitted(estimator, problem, verbose=4)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines] == ["4/8", "8/8"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_prediction_uses_n_jobs(problem, estimator):
    model = fitted(estimator, problem).set_params(n_jobs=0)
    for method in ("predict", "staged_predict"):
        with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0"):
            list(getattr(model, method)(problem[0]))


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(3)])
def test_other_random_states_work(problem, random_state):
    PLBoostRegressor(n_estimators=2, random_state=random_state).fit(*problem)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_pickle_and_clone(problem, estimator):
    X = problem[0]
    model = fitted(estimator, problem)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.get_params() == model.get_params()
    assert not hasattr(clone(model), "booster_")


def test_a_second_fit_forgets_the_first(problem):
    X, y = problem
    model = fitted(PLBoostRegressor, problem)
    model.fit(X[:, :2], y)
    assert model.n_features_in_ == 2
    alone = fitted(PLBoostRegressor, (X[:, :2], y))
    assert model.booster_.to_bytes() == alone.booster_.to_bytes()


class Interrupt(Callback):
    def after_round(self, state):
        raise KeyboardInterrupt


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(problem, estimator):
    X, y = problem
    model = fitted(estimator, problem)
    before = model.predict(X)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :1], np.where(y > np.median(y), 7, 8), callbacks=[Interrupt()])
    assert model.predict(X).tolist() == before.tolist()
    fresh = estimator(n_estimators=5)
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(X, np.where(y > np.median(y), 7, 8), callbacks=[Interrupt()])
    with pytest.raises(NotFittedError):
        fresh.predict(X)


def test_small_weights_give_a_warning(problem):
    X, y = problem
    with pytest.warns(UserWarning, match="min_samples_leaf counts weights, not rows"):
        PLBoostRegressor(n_estimators=1).fit(X, y, sample_weight=np.full(len(y), 0.01))


def test_searches_and_pipelines_of_scikit_learn(problem):
    X, y = problem
    pipeline = make_pipeline(StandardScaler(), PLBoostRegressor(n_estimators=5, n_jobs=1))
    grid = {"plboostregressor__fitting": ["additive", "half_additive", "fully_corrective"]}
    search = GridSearchCV(pipeline, grid, cv=2, n_jobs=2).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert np.isfinite(cross_val_score(PLBoostRegressor(n_estimators=2), X, y, cv=2)).all()
    VotingRegressor([("a", PLBoostRegressor(n_estimators=2))]).fit(X, y).predict(X)


def test_one_versus_rest_for_more_classes(problem):
    X, y = problem
    target = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    model = OneVsRestClassifier(PLBoostClassifier(n_estimators=10)).fit(X, target)
    assert model.score(X, target) > 0.6
