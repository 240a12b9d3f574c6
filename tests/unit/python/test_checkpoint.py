from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from plboost import Booster, CheckpointError, Dataset, PLBoostRegressor, train
from plboost.callbacks import Callback, Checkpoint, EarlyStopping, TimeBudget
from tests.unit.python import killed_training

SCRIPT = killed_training.__file__
SMALL = {"n_estimators": 10, "max_leaves": 4, "min_samples_leaf": 5}


class StopError(Exception):
    pass


class Interrupt(Callback):
    def __init__(self, at):
        self.at = at

    def after_round(self, state):
        if state.round == self.at:
            raise StopError


@contextmanager
def started(*arguments):
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "started\n"
            yield process
        finally:
            process.kill()


def assert_finishes_as_if_never_killed(path, model_path):
    with started(path, model_path, "finish") as process:
        assert process.wait(timeout=60) == 0
    assert Booster.load(model_path).to_bytes() == killed_training.trained().to_bytes()


def test_a_killed_training_resumes_to_the_same_model(tmp_path):
    path, model_path = tmp_path / "training.ckpt", tmp_path / "model.plb"
    delays = random.Random(0)
    n_kills = 4
    assert n_kills * killed_training.N_ROUNDS_HELD < killed_training.trained().n_rounds
    for _ in range(n_kills):
        with started(path, model_path, "hold") as process:
            time.sleep(delays.uniform(0.02, 0.25))
            process.kill()
            assert process.wait(timeout=60) == -signal.SIGKILL
    assert_finishes_as_if_never_killed(path, model_path)


def test_a_training_killed_in_every_write_resumes_to_the_same_model(tmp_path):
    path, model_path = tmp_path / "training.ckpt", tmp_path / "model.plb"
    for n_write in (1, 3, 2):
        with started(path, model_path, n_write) as process:
            assert process.wait(timeout=60) == -signal.SIGKILL
    assert_finishes_as_if_never_killed(path, model_path)


@pytest.fixture
def dataset(problem):
    return Dataset(*problem)


def interrupted(path, dataset, at, *, every=2, params=SMALL, **more):
    with pytest.raises(StopError):
        train(params, dataset, callbacks=[Interrupt(at), Checkpoint(path, every=every)], **more)


def test_it_goes_on_after_the_last_write(tmp_path, dataset):
    path = tmp_path / "a.ckpt"
    interrupted(path, dataset, 6)

    class Count(Interrupt):
        def after_round(self, state):
            rounds.append(state.round)

    Count.__name__ = "Interrupt"
    rounds = []
    booster = train(SMALL, dataset, callbacks=[Count(0), Checkpoint(path, every=2)])
    assert rounds == [6, 7, 8, 9]
    assert booster.to_bytes() == train(SMALL, dataset).to_bytes()


def test_a_finished_training_returns_at_once_and_may_be_prolonged(tmp_path, dataset):
    callbacks = [Checkpoint(tmp_path / "a.ckpt", every=4)]
    first = train(SMALL, dataset, callbacks=callbacks)
    before = Path(tmp_path / "a.ckpt").read_bytes()
    assert train(SMALL, dataset, callbacks=callbacks).to_bytes() == first.to_bytes()
    assert Path(tmp_path / "a.ckpt").read_bytes() == before
    longer = {**SMALL, "n_estimators": 13}
    assert train(longer, dataset, callbacks=callbacks).to_bytes() == (
        train(longer, dataset).to_bytes()
    )
    with pytest.raises(ValueError, match="has 13 rounds, more than the 10 that n_estimators"):
        train(SMALL, dataset, callbacks=callbacks)


def test_a_prolonged_training_keeps_the_rate_that_was_chosen(tmp_path, dataset):
    callbacks = [Checkpoint(tmp_path / "a.ckpt")]
    few, many = ({"n_estimators": n, "max_leaves": 16} for n in (100, 200))
    first = train(few, dataset, callbacks=callbacks)
    rate = first.parameters["learning_rate"]
    assert rate > train(many, dataset).parameters["learning_rate"]
    longer = train(many, dataset, callbacks=callbacks)
    assert longer.parameters["learning_rate"] == rate
    once = train(many | {"learning_rate": rate}, dataset)
    X = np.random.default_rng(1).normal(size=(50, dataset.n_features))
    assert longer.predict(X).tobytes() == once.predict(X).tobytes()


def test_a_training_that_stopped_early_stays_stopped(tmp_path, problem):
    X, y = problem
    values = iter([3, 2, 1, 4, 4, 4])

    def metric(y, prediction):
        return next(values)

    arguments = {"eval_sets": {"valid": (X, y)}, "eval_metric": metric}
    callbacks = [EarlyStopping(3), Checkpoint(tmp_path / "a.ckpt", every=100)]
    first = train(SMALL, Dataset(X, y), callbacks=callbacks, **arguments)
    again = train(SMALL, Dataset(X, y), callbacks=callbacks, **arguments)
    assert (first.best_round, first.n_rounds) == (3, 6)
    assert again.to_bytes() == first.to_bytes()


def test_the_time_before_a_resumed_checkpoint_counts(tmp_path, dataset):
    path = tmp_path / "a.ckpt"
    first = train(SMALL, dataset, callbacks=[TimeBudget(1e-9), Checkpoint(path)])
    more = train(SMALL, dataset, callbacks=[TimeBudget(1e-9), Checkpoint(path)])
    assert first.n_rounds == more.n_rounds == 1
    assert train(SMALL, dataset, callbacks=[TimeBudget(600), Checkpoint(path)]).n_rounds == 10


def test_without_resume_it_starts_anew(tmp_path, dataset):
    path = tmp_path / "a.ckpt"
    path.write_bytes(b"something else")
    booster = train(SMALL, dataset, callbacks=[Checkpoint(path, every=3, resume=False)])
    assert booster.to_bytes() == train(SMALL, dataset).to_bytes()
    assert train(SMALL, dataset, callbacks=[Checkpoint(path)]).n_rounds == 10


def other_data(X, y):
    return {"dataset": Dataset(X, np.where(np.arange(len(y)) == 3, y + 1, y))}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (other_data, "it had other training data"),
        (lambda X, y: {"dataset": Dataset(X, y, random_state=1)}, "other training data"),
        (lambda X, y: {"params": {**SMALL, "l2": 3}}, "l2 was 0.1, now it is 3.0"),
        (lambda X, y: {"eval_sets": {"valid": (X[:9], y[:9])}}, "other evaluation sets"),
        (lambda X, y: {"eval_metric": lambda y, p: 0.0}, "other metrics"),
        (lambda X, y: {"callbacks": [EarlyStopping()]}, "other callbacks"),
        (
            lambda X, y: {
                "dataset": Dataset(X, y, init_model=train({"n_estimators": 1}, Dataset(X, y)))
            },
            "other model to continue",
        ),
    ],
)
def test_a_checkpoint_of_another_training_is_refused(tmp_path, problem, changed, message):
    X, y = problem
    path = tmp_path / "a.ckpt"
    arguments = {
        "params": SMALL,
        "dataset": Dataset(X, y),
        "eval_sets": {"valid": (X[:50], y[:50])},
        "callbacks": [],
    }
    train(**{**arguments, "callbacks": [Checkpoint(path)]})
    arguments.update(changed(X, y))
    arguments["callbacks"] = [*arguments["callbacks"], Checkpoint(path)]
    with pytest.raises(CheckpointError, match=f"is the checkpoint of another.*{message}.*resume"):
        train(**arguments)


def test_a_damaged_checkpoint_is_refused(tmp_path, dataset):
    path = tmp_path / "a.ckpt"
    train(SMALL, dataset, callbacks=[Checkpoint(path)])
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    newer = whole[:8] + b"\x09" + whole[9:]
    for content, message in [
        (whole[:-1], "bytes, but says that it has"),
        (whole[:20], "not a checkpoint of plboost, or cut off"),
        (b"", "not a checkpoint of plboost, or cut off"),
        (whole + b"\0", "bytes, but says that it has"),
        (bytes(flipped), "its checksum is wrong"),
        (newer, "format version 9"),
        (train(SMALL, dataset).to_bytes(), "not a checkpoint of plboost"),
    ]:
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=f"a.ckpt' cannot be resumed.*{message}"):
            train(SMALL, dataset, callbacks=[Checkpoint(path)])


def test_a_state_that_cannot_be_written_is_refused(tmp_path, dataset):
    class Holder(Callback):
        def save_state(self):
            return {"values": {1, 2}}

    with pytest.raises(TypeError, match="the state of a callback cannot be written"):
        train(SMALL, dataset, callbacks=[Holder(), Checkpoint(tmp_path / "a")])


def test_a_folder_that_is_not_there(tmp_path, dataset):
    with pytest.raises(FileNotFoundError):
        train(SMALL, dataset, callbacks=[Checkpoint(tmp_path / "no" / "a.ckpt")])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"every": 0}, ValueError, "every must be an integer >= 1, got 0"),
        ({"every": "1"}, TypeError, "every must be an integer >= 1, got '1'"),
        ({"resume": 1}, TypeError, "resume must be True or False, got 1"),
    ],
)
def test_wrong_settings_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Checkpoint("a", **arguments)


def test_two_checkpoints_are_refused(tmp_path, dataset):
    with pytest.raises(ValueError, match="two checkpoints"):
        train(SMALL, dataset, callbacks=[Checkpoint(tmp_path / "a"), Checkpoint(tmp_path / "b")])


def test_an_estimator_resumes(tmp_path, problem):
    X, y = problem
    path = tmp_path / "a.ckpt"
    model = PLBoostRegressor(early_stopping=True, random_state=2, **SMALL)
    with pytest.raises(StopError):
        model.fit(X, y, callbacks=[Interrupt(6), Checkpoint(path, every=2)])
    model.fit(X, y, callbacks=[Interrupt(99), Checkpoint(path, every=2)])
    straight = PLBoostRegressor(early_stopping=True, random_state=2, **SMALL).fit(X, y)
    assert model.booster_.to_bytes() == straight.booster_.to_bytes()


@pytest.mark.parametrize(
    "params",
    [
        {"loss": "absolute_error"},
        {"loss": "huber"},
        {"loss": "quantile", "alpha": [0.1, 0.5, 0.9]},
        {"loss": "tweedie", "power": 1.3},
        {"loss": "mape"},
        {"subsample": 0.5, "colsample_bytree": 0.7, "colsample_bynode": 0.7},
        {"subsample": 0.5, "subsample_method": "goss"},
        {"monotonic_cst": {"x0": 1}, "interaction_cst": [("x0", "x1"), ("x2",)]},
    ],
    ids=lambda params: "-".join(map(str, params.values())),
)
def test_any_training_resumes(tmp_path, problem, params):
    X, y = problem
    dataset = Dataset(X[:, :3], np.exp(y - y.max()), feature_names=["x0", "x1", "x2"])
    path = tmp_path / "a.ckpt"
    interrupted(path, dataset, 6, params={**SMALL, **params})
    resumed = train({**SMALL, **params}, dataset, callbacks=[Interrupt(99), Checkpoint(path)])
    assert resumed.to_bytes() == train({**SMALL, **params}, dataset).to_bytes()


def test_a_custom_loss_resumes(tmp_path, dataset):
    def squares(y_true, raw_score):
        return raw_score - y_true, np.ones_like(raw_score)

    params = {**SMALL, "loss": squares}
    path = tmp_path / "a.ckpt"
    interrupted(path, dataset, 6, params=params)
    resumed = train(params, dataset, callbacks=[Interrupt(99), Checkpoint(path)])
    assert resumed.to_bytes() == train(params, dataset).to_bytes()

    def other(y_true, raw_score):
        return raw_score - y_true, np.ones_like(raw_score)

    with pytest.raises(CheckpointError, match="loss was 'function squares', now it is"):
        train({**SMALL, "loss": other}, dataset, callbacks=[Interrupt(99), Checkpoint(path)])
