from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from plboost import Booster, Dataset, PLBoostClassifier, PLBoostRegressor, train
from plboost.callbacks import EarlyStopping, LearningRateSchedule

SMALL = {"n_estimators": 8, "max_leaves": 4, "min_samples_leaf": 5}
METRICS = {"squared_error": "rmse", "log_loss": "log_loss"}


def data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[rng.uniform(size=n) < 0.1, 1] = np.nan
    return X, X[:, 0] + np.nan_to_num(X[:, 1]) ** 2 + 0.5 * rng.normal(size=n)


def targets(y, n_classes):
    return y if n_classes is None else np.digitize(y, np.linspace(-1, 1, n_classes + 1)[1:-1])


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_new_trees_are_appended_and_scores_start_from_the_old_model(n_classes):
    X, y = data()
    y = targets(y, n_classes)
    loss = "squared_error" if n_classes is None else "log_loss"
    params = {**SMALL, "loss": loss}
    old = train(params, Dataset(X[:200], y[:200]))
    # Other rows, in other places: the old trees must keep their meaning.
    shifted = 2 * X[200:] + 3
    dataset = Dataset(shifted, y[200:], init_model=old)
    new = train(params, dataset, eval_sets={"valid": (shifted, y[200:])})
    assert (old.n_rounds, new.n_rounds) == (8, 16)
    for rows in (X, shifted, np.full((1, 3), np.inf), np.full((1, 3), np.nan)):
        kept = new.predict(rows, raw_score=True, n_rounds=8)
        assert kept.tobytes() == old.predict(rows, raw_score=True).tobytes()
    curve = new.history["valid"][METRICS[loss]]
    assert np.isnan(curve[:8]).all()
    assert (np.diff(curve[8:]) < 0).all()
    # What was measured on the way is what the model predicts.
    prediction = new.predict(shifted)
    if n_classes is None:
        assert curve[-1] == pytest.approx(np.sqrt(np.mean((prediction - y[200:]) ** 2)))
    else:
        p = np.column_stack([1 - prediction, prediction]) if n_classes == 2 else prediction
        assert curve[-1] == pytest.approx(-np.log(p[np.arange(200), y[200:]]).mean())


@pytest.mark.parametrize("extrapolation", ["clamp", "linear"])
def test_training_sees_new_values_as_prediction_does(extrapolation):
    scores = []

    def squared(y_true, raw_score):
        scores.append(raw_score.copy())
        return raw_score - y_true, np.ones_like(raw_score)

    X = np.arange(300.0)[:, None] / 200
    y = np.sin(3 * X[:, 0])
    params = {**SMALL, "loss": squared, "extrapolation": extrapolation}
    old = train(params, Dataset(X[:100], y[:100]))
    new = train(params, Dataset(X[100:], y[100:], init_model=old))  # every value is a bin
    beyond = new.predict([[10.0], [20.0]])
    assert (beyond[0] == beyond[1]) == (extrapolation == "clamp")
    before_the_last = new.predict(X[100:], n_rounds=new.n_rounds - 1)
    np.testing.assert_allclose(scores[-1], before_the_last, atol=1e-5)


def test_on_the_same_data_it_is_as_good_as_one_training():
    X, y = data(200)  # every value is a bin, so scores and predictions agree but for rounding
    params = {**SMALL, "split_sample": None}
    whole = train({**params, "n_estimators": 16}, Dataset(X, y))
    half = train(params, Dataset(X, y))
    continued = train(params, Dataset(X, y, init_model=half))
    np.testing.assert_allclose(continued.predict(X), whole.predict(X), atol=1e-3)


@pytest.mark.parametrize("kind", ["booster", "estimator", "path", "str"])
def test_estimators_continue_models_of_any_kind(tmp_path, kind):
    X, y = data()
    old = PLBoostRegressor(random_state=0, **SMALL).fit(X, y)
    old.booster_.save(tmp_path / "model.plb")
    given = {
        "booster": old.booster_,
        "estimator": old,
        "path": tmp_path / "model.plb",
        "str": str(tmp_path / "model.plb"),
    }[kind]
    new = PLBoostRegressor(random_state=0, **SMALL).fit(X, y, init_model=given)
    direct = train(SMALL, Dataset(X, y, init_model=old.booster_))
    assert new.n_iter_ == 16
    assert new.predict(X).tobytes() == direct.predict(X).tobytes()


def test_it_goes_on_from_the_best_round_with_the_old_history():
    X, y = data()
    sets = {"valid": (X[300:], y[300:])}
    params = {**SMALL, "n_estimators": 200, "learning_rate": 0.5}
    old = train(params, Dataset(X[:300], y[:300]), eval_sets=sets, callbacks=[EarlyStopping(4)])
    best = old.best_round
    assert old.n_rounds == best + 4
    seen = []

    def rate(round_):
        seen.append(round_)
        return 0.01

    new = train(
        {**SMALL, "n_estimators": 5},
        Dataset(X[:300], y[:300], init_model=old),
        eval_sets=sets,
        callbacks=[EarlyStopping(4), LearningRateSchedule(rate)],
    )
    assert seen == list(range(best, new.n_rounds))
    curve = new.history["valid"]["rmse"]
    assert curve[:best] == old.history["valid"]["rmse"][:best]
    assert new.best_round == best + 1 + np.argmin(curve[best:])


def test_an_offset_is_added_to_the_old_model():
    X, y = data()
    offset = np.linspace(-1, 1, len(y))
    old = train(SMALL, Dataset(X, y, init_score=offset))
    parts = (X, y, None, offset)
    new = train(SMALL, Dataset(X, y, init_score=offset, init_model=old), eval_sets={"all": parts})
    rmse = np.sqrt(np.mean((offset + new.predict(X) - y) ** 2))
    assert new.history["all"]["rmse"][-1] == pytest.approx(rmse)
    assert rmse < np.sqrt(np.mean((offset + old.predict(X) - y) ** 2))
    with pytest.raises(ValueError, match=r"init_score has the shape \(400, 2\), but the scores"):
        Dataset(X, y, init_score=np.zeros((400, 2)), init_model=old)


def test_a_continued_model_goes_to_a_file_and_back(tmp_path):
    X, y = data()
    old = train(SMALL, Dataset(X, y))
    new = train(SMALL, Dataset(X, y, init_model=old))
    assert Booster.from_bytes(new.to_bytes()).to_bytes() == new.to_bytes()


def test_models_that_do_not_fit_are_refused():
    X, y = data()
    old = train(SMALL, Dataset(X, y, feature_names=["a", "b", "c"]))
    with pytest.raises(ValueError, match="features of init_model are not those of X: 'b' is now"):
        Dataset(X, y, feature_names=["a", "z", "c"], init_model=old)
    with pytest.raises(ValueError, match="2 features"):
        Dataset(X[:, :2], y, init_model=old)
    with pytest.raises(ValueError, match="with loss='squared_error', got loss='log_loss'"):
        train({**SMALL, "loss": "log_loss"}, Dataset(X, y > 0, init_model=old))
    binary = train({**SMALL, "loss": "log_loss"}, Dataset(X, y > 0))
    with pytest.raises(ValueError, match="must have 3 columns, one for each output"):
        train({**SMALL, "loss": "log_loss"}, Dataset(X, targets(y, 3), init_model=binary))
    middle = train({**SMALL, "loss": "quantile"}, Dataset(X, y))
    with pytest.raises(ValueError, match=r"alpha=None, got alpha=0\.9: its scores are"):
        train({**SMALL, "loss": "quantile", "alpha": 0.9}, Dataset(X, y, init_model=middle))
    with pytest.raises(ValueError, match="monotonic_cst=None, got monotonic_cst="):
        train({**SMALL, "monotonic_cst": [1, 0, 0]}, Dataset(X, y, init_model=old))
    with pytest.raises(ValueError, match="extrapolation='clamp', got extrapolation='linear'"):
        train({**SMALL, "extrapolation": "linear"}, Dataset(X, y, init_model=old))
    for wrong in (3, PLBoostRegressor(), object()):
        with pytest.raises(TypeError, match="init_model must be a Booster, a fitted estimator"):
            Dataset(X, y, init_model=wrong)
    classifier = PLBoostClassifier(**SMALL).fit(X, np.where(y > 0, "yes", "no"))
    with pytest.raises(ValueError, match=r"classes \['a', 'b'\], but the model to continue knows"):
        PLBoostClassifier(**SMALL).fit(X, np.where(y > 0, "a", "b"), init_model=classifier)


def test_names_of_the_old_model_are_kept():
    X, y = data()
    old = train(SMALL, Dataset(X, y, feature_names=["a", "b", "c"]))
    assert train(SMALL, Dataset(X, y, init_model=old)).feature_names == ["a", "b", "c"]


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_a_warm_start_gives_the_model_of_one_training(n_classes, early_stopping):
    X, y = data()
    y = targets(y, n_classes)
    kind = PLBoostRegressor if n_classes is None else PLBoostClassifier
    params = {**SMALL, "random_state": 4, "early_stopping": early_stopping, "learning_rate": 0.4}
    warm = kind(warm_start=True, **params).fit(X, y)
    for n in (8, 9, 30, 60):
        # Between two fits the model may go through a pickle.
        warm = pickle.loads(pickle.dumps(warm)).set_params(n_estimators=n).fit(X, y)
        straight = kind(**{**params, "n_estimators": n}).fit(X, y)
        assert warm.n_iter_ == straight.n_iter_
        assert warm.best_iteration_ == straight.best_iteration_
        assert warm.evals_result_ == straight.evals_result_
        assert warm.predict(X).tobytes() == straight.predict(X).tobytes()
    assert (warm.n_iter_ < 60) == early_stopping


def test_a_warm_start_remembers_a_random_seed():
    X, y = data()
    warm = PLBoostRegressor(warm_start=True, **SMALL).fit(X, y)
    first = warm.predict(X)
    warm.set_params(n_estimators=12).fit(X, y)
    assert warm.booster_.predict(X, n_rounds=8).tobytes() == first.tobytes()


def test_a_warm_start_takes_other_parameters():
    X, y = data()
    warm = PLBoostRegressor(warm_start=True, random_state=0, **SMALL).fit(X, y)
    warm.set_params(n_estimators=9, learning_rate=1e-9).fit(X, y)
    old = warm.booster_.predict(X, n_rounds=8)
    np.testing.assert_allclose(warm.predict(X), old, atol=1e-7)


def test_a_warm_start_on_other_data_continues_the_model():
    X, y = data()
    warm = PLBoostRegressor(warm_start=True, random_state=0, **SMALL).fit(X[:200], y[:200])
    old = warm.booster_
    warm.fit(X[200:], y[200:])
    assert warm.n_iter_ == 8
    assert warm.booster_ is old
    warm.set_params(n_estimators=12).fit(X[200:], y[200:])
    expected = train(
        {**SMALL, "n_estimators": 4}, Dataset(X[200:], y[200:], random_state=0, init_model=old)
    )
    assert warm.n_iter_ == 12
    assert warm.predict(X).tobytes() == expected.predict(X).tobytes()


def test_a_warm_start_keeps_the_rate_of_the_rounds_before():
    X, y = data()
    model = PLBoostRegressor(n_estimators=5, learning_rate=0.3, warm_start=True).fit(X, y)
    model.set_params(n_estimators=8, learning_rate=None).fit(X, y)
    assert model.booster_.parameters["learning_rate"] == 0.3
    model.set_params(n_estimators=10).fit(X[:300], y[:300])
    assert model.booster_.parameters["learning_rate"] == 0.3
    model.set_params(n_estimators=200).fit(X[:300], y[:300])
    assert model.booster_.parameters["learning_rate"] == 0.3


def test_a_cold_model_can_be_continued_warm():
    X, y = data()
    model = PLBoostRegressor(random_state=0, **SMALL).fit(X, y)
    old = model.booster_
    model.set_params(warm_start=True, n_estimators=10).fit(X, y)
    assert model.booster_.predict(X, n_rounds=8).tobytes() == old.predict(X).tobytes()
    assert model.n_iter_ == 10


def test_wrong_warm_starts_are_refused():
    X, y = data()
    model = PLBoostClassifier(warm_start=True, **SMALL).fit(X, y > 0)
    with pytest.raises(ValueError, match="n_estimators=5 must be at least n_iter_=8"):
        model.set_params(n_estimators=5).fit(X, y > 0)
    model.set_params(n_estimators=10)
    with pytest.raises(ValueError, match="warm_start=True continues the fitted model, and init_m"):
        model.fit(X, y > 0, init_model=model.booster_)
    with pytest.raises(ValueError, match="the model to continue knows"):
        model.fit(X, targets(y, 3))
    with pytest.raises(ValueError, match="features"):
        model.fit(X[:, :2], y > 0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"monotonic_cst": [1, 0, 0]}, "monotonic_cst=None, got monotonic_cst=.*no such order"),
        ({"extrapolation": "linear"}, "extrapolation='clamp', got extrapolation='linear'"),
        ({"loss": "absolute_error"}, "loss='squared_error', got loss='absolute_error'"),
    ],
)
def test_a_warm_start_on_the_same_data_refuses_what_does_not_fit(changed, message):
    X, y = data()
    model = PLBoostRegressor(warm_start=True, **SMALL).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.set_params(n_estimators=10, **changed).fit(X, y)


def test_without_a_warm_start_a_second_fit_starts_anew():
    X, y = data()
    model = PLBoostRegressor(random_state=0, **SMALL)
    first = model.fit(X, y).booster_.to_bytes()
    assert model.fit(X, y).booster_.to_bytes() == first


def test_frames_are_continued_by_name():
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    old = PLBoostRegressor(random_state=0, **SMALL).fit(frame, y)
    new = PLBoostRegressor(random_state=0, **SMALL).fit(frame, y, init_model=old)
    assert new.booster_.feature_names == ["a", "b", "c"]
    with pytest.raises(ValueError, match="'a' is now 'c'"):
        PLBoostRegressor(**SMALL).fit(frame[["c", "b", "a"]], y, init_model=old)
