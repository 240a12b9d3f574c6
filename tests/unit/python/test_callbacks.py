from __future__ import annotations

import logging
import sys
import threading
import types

import numpy as np
import pytest

from plboost import Dataset, MissingDependencyError, PLBoostClassifier, PLBoostRegressor, train
from plboost.callbacks import (
    Callback,
    EarlyStopping,
    LearningRateSchedule,
    OptunaPruning,
    RoundLog,
    TimeBudget,
)

SMALL = {"n_estimators": 6, "max_leaves": 4, "min_samples_leaf": 5}


@pytest.fixture
def parts(problem):
    X, y = problem
    return Dataset(X[:160], y[:160]), {"valid": (X[160:], y[160:])}


class Diary(Callback):
    def __init__(self):
        self.lines = []

    def before_training(self, state):
        self.lines.append(("start", state.n_rounds))

    def before_round(self, state):
        self.lines.append(("before", state.round, state.booster().n_rounds))

    def after_round(self, state):
        values = state.history["valid"]["rmse"]
        self.lines.append(("after", state.round, state.booster().n_rounds, len(values)))

    def after_training(self, state):
        self.lines.append(("end", state.round, state.stop_reason))


def test_callbacks_see_every_round(parts):
    dataset, sets = parts
    diary = Diary()
    train({**SMALL, "n_estimators": 2}, dataset, eval_sets=sets, callbacks=[diary])
    assert diary.lines == [
        ("start", 2),
        ("before", 0, 0),
        ("after", 0, 1, 1),
        ("before", 1, 1),
        ("after", 1, 2, 2),
        ("end", 1, None),
    ]


def test_the_booster_so_far_is_the_model_of_as_many_rounds(parts):
    dataset, sets = parts

    class Collect(Callback):
        def after_round(self, state):
            boosters.append(state.booster())

    boosters = []
    whole = train(SMALL, dataset, eval_sets=sets, callbacks=[Collect()])
    X, _ = sets["valid"]
    for n, booster in enumerate(boosters, start=1):
        assert booster.history["valid"]["rmse"] == whole.history["valid"]["rmse"][:n]
        assert booster.predict(X).tobytes() == whole.predict(X, n_rounds=n).tobytes()


@pytest.mark.parametrize("hook", ["before_round", "after_round"])
def test_a_stop_request_ends_the_training(parts, hook):
    dataset, sets = parts

    class Stop(Callback):
        pass

    setattr(Stop, hook, lambda self, state: state.stop("enough") if state.round == 2 else None)
    diary = Diary()
    booster = train(SMALL, dataset, eval_sets=sets, callbacks=[Stop(), diary])
    assert booster.n_rounds == (2 if hook == "before_round" else 3)
    assert diary.lines[-1] == ("end", booster.n_rounds - 1, "enough")
    expected = train({**SMALL, "n_estimators": booster.n_rounds}, dataset, eval_sets=sets)
    X, _ = sets["valid"]
    assert booster.predict(X).tobytes() == expected.predict(X).tobytes()


@pytest.mark.parametrize("hook", ["before_training", "before_round", "after_round"])
def test_an_exception_reaches_the_user_and_leaves_no_thread(problem, hook):
    X, y = problem

    class Fail(Callback):
        pass

    def fail(self, state):
        raise LookupError("on purpose")

    setattr(Fail, hook, fail)
    before = threading.active_count()
    with open("/proc/self/status") as status:
        threads = next(line for line in status if line.startswith("Threads"))
    with pytest.raises(LookupError, match="on purpose"):
        PLBoostRegressor(n_jobs=3, **SMALL).fit(X, y, callbacks=[Fail()])
    with open("/proc/self/status") as status:
        assert next(line for line in status if line.startswith("Threads")) == threads
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("callbacks", "error", "message"),
    [
        (RoundLog(), TypeError, "callbacks must be a list of callbacks, got RoundLog"),
        ([RoundLog], TypeError, r"callbacks\[0\] must be a plboost.callbacks.Callback, got type"),
    ],
)
def test_what_is_no_callback_is_refused(parts, callbacks, error, message):
    with pytest.raises(error, match=message):
        train(SMALL, parts[0], callbacks=callbacks)


def test_estimators_take_callbacks(problem):
    X, y = problem
    diary = Diary()
    diary.after_round = lambda state: diary.lines.append(state.round)
    PLBoostClassifier(**SMALL).fit(X, y > np.median(y), callbacks=[diary])
    assert [line for line in diary.lines if isinstance(line, int)] == list(range(6))


@pytest.mark.parametrize("kind", [list, np.array, "function"])
def test_a_schedule_sets_the_rate_of_each_round(parts, kind):
    dataset, sets = parts
    rates = [0.5, 0.1, 0.3, 0.2, 0.05, 0.4]
    schedule = rates.__getitem__ if kind == "function" else kind(rates)
    booster = train(SMALL, dataset, callbacks=[LearningRateSchedule(schedule)])

    class Set(Callback):
        def before_round(self, state):
            state.learning_rate = rates[state.round]

    by_hand = train(SMALL, dataset, callbacks=[Set()])
    constant = train({**SMALL, "learning_rate": 0.5, "n_estimators": 1}, dataset)
    X, _ = sets["valid"]
    assert booster.to_bytes() == by_hand.to_bytes()
    assert booster.predict(X, n_rounds=1).tobytes() == constant.predict(X).tobytes()


def test_a_wrong_schedule_is_refused(parts):
    with pytest.raises(TypeError, match="schedule must be a function of the round or a sequence"):
        LearningRateSchedule(0.1)
    with pytest.raises(ValueError, match="schedule has 2 learning rates for 6 rounds"):
        train(SMALL, parts[0], callbacks=[LearningRateSchedule([0.1, 0.2])])
    with pytest.raises(ValueError, match=r"must be None or a finite number > 0, got -1"):
        train(SMALL, parts[0], callbacks=[LearningRateSchedule(lambda _: -1.0)])


def test_a_rate_that_is_set_stays(parts):
    class Halve(Callback):
        def after_round(self, state):
            rates.append(state.learning_rate)
            state.learning_rate /= 2

    rates = []
    train({**SMALL, "n_estimators": 3}, parts[0], callbacks=[Halve()])
    assert rates == [0.1, 0.05, 0.025]


@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (4, ValueError), (1.5, TypeError)])
def test_a_best_round_that_is_not_there_is_refused(parts, value, error):
    class Choose(Callback):
        def after_round(self, state):
            if state.round == 2:
                state.best_round = value

    with pytest.raises(error, match=f"best_round must be None or .*got {value}"):
        train({**SMALL, "n_estimators": 3}, parts[0], callbacks=[Choose()])


def test_a_used_up_time_budget_stops_after_the_round(parts, monkeypatch):
    now = iter(range(1000))
    clock = types.SimpleNamespace(monotonic=lambda: next(now))
    monkeypatch.setattr("plboost.callbacks.time_budget.time", clock)
    booster = train({**SMALL, "n_estimators": 50}, parts[0], callbacks=[TimeBudget(7.5)])
    assert booster.n_rounds == 4


def test_one_round_is_done_in_no_time(parts):
    assert train(SMALL, parts[0], callbacks=[TimeBudget(1e-12)]).n_rounds == 1


@pytest.mark.parametrize(("seconds", "error"), [(0, ValueError), ("1", TypeError)])
def test_a_wrong_time_budget_is_refused(seconds, error):
    with pytest.raises(error, match="seconds must be a finite number > 0, got"):
        TimeBudget(seconds)


def test_rounds_are_logged(parts, caplog):
    dataset, sets = parts
    with caplog.at_level(logging.INFO, logger="plboost"):
        booster = train(SMALL, dataset, eval_sets=sets, callbacks=[RoundLog(4), EarlyStopping(50)])
    lines = [record.getMessage() for record in caplog.records]
    curve = booster.history["valid"]["rmse"]
    assert lines == [
        f"round 4/6  valid rmse {curve[3]:.6g}",
        f"round 6/6  valid rmse {curve[5]:.6g}",
        f"training ended after 6 rounds, the best after {booster.best_round}",
    ]


def test_a_wrong_interval_of_lines_is_refused():
    with pytest.raises(ValueError, match="every must be an integer >= 1, got 0"):
        RoundLog(0)


@pytest.fixture
def study():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def make(direction="minimize"):
        # Prunes what is worse than 0 from the third round on.
        pruner = optuna.pruners.ThresholdPruner(upper=0.0, n_warmup_steps=3)
        return optuna.create_study(direction=direction, pruner=pruner)

    return make


def test_optuna_is_told_and_may_prune(parts, study):
    dataset, sets = parts
    boosters = []

    def objective(trial):
        params = {**SMALL, "n_estimators": trial.suggest_int("n_estimators", 2, 2)}
        if trial.number == 1:
            params = SMALL
        booster = train(params, dataset, eval_sets=sets, callbacks=[OptunaPruning(trial)])
        boosters.append(booster)
        return booster.history["valid"]["rmse"][-1]

    made = study()
    made.optimize(objective, n_trials=2)
    complete, pruned = made.trials
    assert complete.state.name == "COMPLETE"
    assert complete.intermediate_values == dict(
        enumerate(boosters[0].history["valid"]["rmse"], start=1)
    )
    assert pruned.state.name == "PRUNED"
    assert list(pruned.intermediate_values) == [1, 2, 3]
    assert len(boosters) == 1


def test_a_study_of_the_other_direction_is_refused(parts, study):
    dataset, sets = parts
    callback = OptunaPruning(study("maximize").ask())
    with pytest.raises(ValueError, match="direction 'maximize', but rmse is to be minimized"):
        train(SMALL, dataset, eval_sets=sets, callbacks=[callback])


def test_without_optuna_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingDependencyError, match="OptunaPruning needs optuna"):
        OptunaPruning(None)
