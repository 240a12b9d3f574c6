"""Models of several outputs: classes, columns of targets, rows of probabilities."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, average_precision_score, log_loss, roc_auc_score
from sklearn.multioutput import MultiOutputRegressor

from plboost import Booster, Dataset, PLBoostClassifier, PLBoostRegressor, train

SETTING = {"n_estimators": 6, "max_leaves": 5, "random_state": 0}


def classes_of(y, n_classes=3):
    return np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))


@pytest.fixture
def columns(problem):
    X, y = problem
    return X, np.column_stack([y, -1000 * X[:, 0], y * X[:, 0] + 5])


@pytest.mark.parametrize(
    "names", [["a", "b", "c"], [10, 2, 7], [4.0, 1.0, -3.0], ["longer", "", "x"]]
)
def test_classifier_of_three_classes_is_consistent_with_itself(problem, names):
    X, y = problem
    target = np.array(names)[classes_of(y)]
    model = PLBoostClassifier(**SETTING).fit(X, target, eval_set=(X, target))
    assert model.classes_.tolist() == sorted(names)
    scores, probabilities = model.decision_function(X), model.predict_proba(X)
    assert scores.shape == probabilities.shape == (len(X), 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
    assert model.predict(X).dtype == target.dtype
    assert model.score(X, target) > 0.7
    assert (model.n_iter_, model.booster_.n_trees, model.booster_.n_outputs) == (6, 18, 3)
    stages = list(zip(model.staged_predict(X), model.staged_predict_proba(X), strict=True))
    assert len(stages) == 6
    np.testing.assert_array_equal(stages[-1][0], model.predict(X))
    np.testing.assert_array_equal(stages[-1][1], probabilities)
    expected = [log_loss(target, p) for _, p in stages]
    np.testing.assert_allclose(model.evals_result_["eval_0"]["log_loss"], expected)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_proba(X).tobytes() == probabilities.tobytes()


def test_metrics_of_three_classes_are_scikit_learn_s(problem):
    X, y = problem
    target = classes_of(y)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    metrics = ["error", "auc", "average_precision"]
    given = {"eval_set": (X, target, weight), "eval_metric": metrics}
    model = PLBoostClassifier(**SETTING).fit(X, target, **given)
    weighted = {"sample_weight": weight}
    for stage, p in enumerate(model.staged_predict_proba(X)):
        expected = [
            1 - accuracy_score(target, p.argmax(axis=1), **weighted),
            roc_auc_score(target, p, multi_class="ovr", **weighted),
            average_precision_score(np.eye(3)[target], p, **weighted),
        ]
        found = [model.evals_result_["eval_0"][metric][stage] for metric in metrics]
        np.testing.assert_allclose(found, expected, err_msg=str(stage))


def test_metrics_of_classes_need_rows_of_each(problem):
    X, y = problem
    target = classes_of(y)
    few = target < 2
    for metric in ("auc", "average_precision"):
        with pytest.raises(ValueError, match=f"{metric} needs rows of every.*none of class 2"):
            PLBoostClassifier(**SETTING).fit(
                X, target, eval_set=(X[few], target[few]), eval_metric=metric
            )


def test_a_class_without_weight_is_not_there(problem):
    X, y = problem
    target = np.array(["a", "b", "c", "d"])[classes_of(y, 4)]
    weight = np.where(target == "b", 0.0, 1.0)
    model = PLBoostClassifier(**SETTING).fit(X, target, sample_weight=weight)
    assert model.classes_.tolist() == ["a", "c", "d"]
    kept = weight > 0
    alone = PLBoostClassifier(**SETTING).fit(X[kept], target[kept])
    assert alone.classes_.tolist() == ["a", "c", "d"]
    assert alone.booster_.base_score.tolist() == model.booster_.base_score.tolist()
    with pytest.raises(ValueError, match=r"not in the training data: \['b'\]"):
        PLBoostClassifier(**SETTING).fit(X, target, sample_weight=weight, eval_set=(X, target))


def test_the_base_scores_are_the_log_of_the_priors(problem):
    X, y = problem
    target, weight = classes_of(y), np.linspace(0.5, 2, len(y))
    model = PLBoostClassifier(**SETTING).fit(X, target, sample_weight=weight)
    priors = np.bincount(target, weights=weight) / weight.sum()
    np.testing.assert_allclose(model.booster_.base_score, np.log(priors), rtol=1e-12)
    np.testing.assert_allclose(model.booster_.predict(X[:1], n_rounds=0)[0], priors)


def test_booster_of_several_outputs(columns):
    X, Y = columns
    booster = train({"n_estimators": 4, "max_leaves": 3}, Dataset(X, Y), eval_sets={"a": (X, Y)})
    assert (booster.n_trees, booster.n_rounds, booster.n_outputs) == (12, 4, 3)
    np.testing.assert_allclose(booster.base_score, Y.mean(axis=0))
    stages = list(booster.staged_predict(X))
    for k, stage in enumerate(stages, start=1):
        assert stage.shape == Y.shape
        np.testing.assert_array_equal(stage, booster.predict(X, n_rounds=k))
    with pytest.raises(ValueError, match="n_rounds must be between 0 and 4, got 5"):
        booster.predict(X, n_rounds=5)
    expected = [np.mean(np.sqrt(np.mean((stage - Y) ** 2, axis=0))) for stage in stages]
    np.testing.assert_allclose(booster.history["a"]["rmse"], expected)
    assert [booster.tree(i).output for i in range(12)] == [0, 1, 2] * 4
    assert [tree["output"] for tree in booster.dump()["trees"]] == [0, 1, 2] * 4
    assert booster.dump()["base_score"] == booster.base_score.tolist()
    frame = booster.to_frame()
    assert (frame["output"] == frame["tree"] % 3).all()
    copy = Booster.from_bytes(booster.to_bytes())
    assert copy.to_bytes() == booster.to_bytes()
    assert copy.predict(X).tobytes() == booster.predict(X).tobytes()


@pytest.mark.parametrize("weighted", [False, True])
def test_every_column_has_the_model_that_it_has_alone(columns, weighted):
    X, Y = columns
    weight = np.linspace(0, 2, len(X)) if weighted else None
    model = PLBoostRegressor(**SETTING).fit(X, Y, sample_weight=weight)
    one_by_one = MultiOutputRegressor(clone(model)).fit(X, Y, sample_weight=weight)
    assert model.predict(X).shape == Y.shape
    assert np.array_equal(model.predict(X), one_by_one.predict(X))
    assert model.score(X, Y) == pytest.approx(one_by_one.score(X, Y))
    assert model.score(X, Y) > 0.4
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.predict(X))


def test_one_column_in_two_dimensions_is_one_output(problem):
    X, y = problem
    with pytest.warns(UserWarning, match="A column-vector y was passed"):
        model = PLBoostRegressor(**SETTING).fit(X, y.reshape(-1, 1))
    assert model.predict(X).shape == (len(X),)


def test_targets_of_several_columns_are_checked(columns):
    X, Y = columns
    Y[7, 2] = np.nan
    with pytest.raises(ValueError, match="Input y contains NaN in 1 of 240 rows, first in row 7"):
        Dataset(X, Y)
    Y[7, 2] = 0.0
    with pytest.raises(ValueError, match="y has 239 values, but X has 240 rows"):
        Dataset(X, Y[:-1])
    with pytest.raises(ValueError, match="must hold numbers, got text"):
        Dataset(X, Y.astype(str))
    wrong = {"v": (X, Y[:, :2])}
    with pytest.raises(ValueError, match=r"has the shape \(240, 2\), but .* has 3 columns"):
        train({}, Dataset(X, Y), eval_sets=wrong)
    with pytest.raises(ValueError, match="one column for loss='log_loss'"):
        train({"loss": "log_loss"}, Dataset(X, Y))


def test_cross_entropy_of_probabilities(problem):
    X, y = problem
    p = 1 / (1 + np.exp(-2 * (y - y.mean())))
    params = {"loss": "cross_entropy", "n_estimators": 60}
    booster = train(params, Dataset(X, p), eval_sets={"a": (X, p)})
    predicted = booster.predict(X)
    assert np.abs(predicted - p).mean() < 0.05
    entropy = -np.mean(p * np.log(predicted) + (1 - p) * np.log1p(-predicted))
    assert booster.history["a"]["cross_entropy"][-1] == pytest.approx(entropy)
    assert Booster.from_bytes(booster.to_bytes()).predict(X).tobytes() == predicted.tobytes()


@pytest.mark.parametrize("n_columns", [1, 2])
def test_cross_entropy_refuses_targets_that_are_no_probabilities(problem, n_columns):
    X, y = problem
    p = 1 / (1 + np.exp(-y))
    targets = p if n_columns == 1 else np.column_stack([p, 1 - p])
    with pytest.raises(ValueError, match="between 0 and 1 for loss='cross_entropy', got 100"):
        train(
            {"loss": "cross_entropy", "n_estimators": 2},
            Dataset(X, targets),
            eval_sets={"a": (X, np.full_like(targets, 100.0))},
        )


def test_cross_entropy_of_zeros_and_ones_is_log_loss(problem):
    X, y = problem
    target = (y > np.median(y)).astype(float)
    hard, soft = (
        train({"loss": loss, "n_estimators": 5}, Dataset(X, target)).predict(X, raw_score=True)
        for loss in ("log_loss", "cross_entropy")
    )
    assert hard.tobytes() == soft.tobytes()


def test_cross_entropy_of_rows_of_probabilities(problem):
    X, y = problem
    hard = classes_of(y)
    teacher = PLBoostClassifier(n_estimators=60, random_state=0).fit(X, hard)
    P = teacher.predict_proba(X)
    params = {"loss": "cross_entropy", "n_estimators": 60}
    student = train(params, Dataset(X, P), eval_sets={"a": (X, P)})
    predicted = student.predict(X)
    assert predicted.shape == P.shape
    np.testing.assert_allclose(predicted.sum(axis=1), 1)
    assert np.abs(predicted - P).mean() < 0.05
    entropy = -np.mean(np.sum(P * np.log(predicted), axis=1))
    assert student.history["a"]["cross_entropy"][-1] == pytest.approx(entropy)
    # A class is a row of zeros and a one.
    one_hot = train({"loss": "cross_entropy", "n_estimators": 5}, Dataset(X, np.eye(3)[hard]))
    by_class = train({"loss": "log_loss", "n_estimators": 5}, Dataset(X, hard))
    assert one_hot.predict(X).tobytes() == by_class.predict(X).tobytes()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, 0.5, 1.5], "y must lie between 0 and 1"),
        ([[0.5, 0.5], [0.9, 0.9], [1, 0]], "must sum to 1"),
        ([[0.5, 0.5], [-1, 2], [1, 0]], "must hold probabilities"),
    ],
)
def test_cross_entropy_refuses_other_targets(y, message):
    with pytest.raises(ValueError, match=message):
        train({"loss": "cross_entropy"}, Dataset(np.zeros((3, 1)), y))


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_initial_scores(problem, columns, n_outputs):
    X, y = problem if n_outputs == 1 else columns
    first = PLBoostRegressor(**SETTING).fit(X, y)
    second = PLBoostRegressor(**SETTING)
    sets = [(X, y, None, first.predict(X)), (X, y)]
    second.fit(X, y, init_score=first.predict(X), eval_set=sets)
    assert np.all(second.booster_.base_score == 0.0)
    total = first.predict(X) + second.predict(X)

    def rmse(prediction):
        return np.mean(np.sqrt(np.mean((prediction - y) ** 2, axis=0)))

    assert rmse(total) < rmse(first.predict(X))
    assert second.evals_result_["eval_0"]["rmse"][-1] == pytest.approx(rmse(total))
    assert second.evals_result_["eval_1"]["rmse"][-1] == pytest.approx(rmse(second.predict(X)))


def test_initial_scores_of_a_classifier(problem):
    X, y = problem
    target = classes_of(y)
    first = PLBoostClassifier(**SETTING).fit(X, target)
    start = first.decision_function(X)
    second = PLBoostClassifier(**SETTING).fit(
        X, target, init_score=start, eval_set=(X, target, None, start)
    )
    total = start + second.decision_function(X)
    p = np.exp(total) / np.exp(total).sum(axis=1, keepdims=True)
    assert second.evals_result_["eval_0"]["log_loss"][-1] == pytest.approx(log_loss(target, p))
    assert log_loss(target, p) < log_loss(target, first.predict_proba(X))


@pytest.mark.parametrize(
    ("init_score", "message"),
    [
        (np.zeros(3), r"init_score has the shape \(3,\), but X has 240 rows"),
        (np.zeros((240, 2, 1)), r"init_score has the shape \(240, 2, 1\)"),
        (np.zeros((240, 0)), r"init_score has the shape \(240, 0\)"),
        (["a"] * 240, "init_score must hold numbers"),
        (np.full(240, np.nan), "init_score must be finite .* got nan in row 0"),
        (np.full((240, 1), 1e200), r"init_score must be finite .* got 1e\+200 in row 0"),
        (np.zeros((240, 2)), "init_score must have 1 columns, one for each output, got 2"),
    ],
)
def test_wrong_initial_scores_are_refused(problem, init_score, message):
    with pytest.raises(ValueError, match=message):
        PLBoostRegressor(**SETTING).fit(*problem, init_score=init_score)


def test_the_threads_do_not_matter(problem):
    X, y = problem
    target = classes_of(y, 4)
    models = {
        PLBoostClassifier(**SETTING, n_jobs=n).fit(X, target).booster_.to_bytes() for n in (1, 2, 3)
    }
    assert len(models) == 1
