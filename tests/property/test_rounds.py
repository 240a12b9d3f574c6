"""However a training is stopped, saved and continued, its rounds are those of one training."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost import Dataset, train
from plboost.callbacks import Callback, Checkpoint, EarlyStopping, LearningRateSchedule
from tests.problems import STEADY, small_problems
from tests.property.boosters import SMALL, loss_of

N_ROUNDS = 12


class KilledError(Exception):
    pass


class Kill(Callback):
    """Ends the training after so many rounds of the present run."""

    def __init__(self, after):
        self.left = after

    def after_round(self, state):
        self.left -= 1
        if self.left == 0:
            raise KilledError


def arguments(problem, n_jobs=1):
    n = len(problem.y)
    weight = problem.weight
    some = np.arange(n) % 3 == 0
    if weight is not None and not weight[some].any():
        some[:] = True
    parts = (problem.X[some], problem.y[some], None if weight is None else weight[some])
    return {
        "params": {**SMALL, "n_estimators": N_ROUNDS, "loss": loss_of(problem)},
        "dataset": Dataset(problem.X, problem.y, sample_weight=weight),
        "eval_sets": {"some": parts},
        "n_jobs": n_jobs,
    }


def quiet_train(**given):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the sample weights sum to")
        return train(**given)


def stopped_by_hand(curve, *, patience, tol, greater_is_better):
    """Return the best round and the number of rounds that a plain loop over the curve finds."""
    best, best_round = None, None
    for n, value in enumerate(curve, start=1):
        score = value if greater_is_better else -value
        if not np.isnan(score) and (best is None or score > best + tol):
            best, best_round = score, n
        if n - (best_round or 0) >= patience:
            return best_round, n
    return best_round, len(curve)


@settings(STEADY, max_examples=25)
@given(
    problem=small_problems() | small_problems(binary=True),
    patience=st.integers(1, 5),
    tol=st.sampled_from([0.0, 0.0, 0.01]),
    greater_is_better=st.booleans(),
)
def test_early_stopping_chooses_from_the_full_curve(problem, patience, tol, greater_is_better):
    given = arguments(problem)

    def noisy(y, prediction, sample_weight=None):
        # Rises and falls, so that there is something to wait for; rarely NaN.
        value = 1e3 * float(np.mean(np.abs(y - prediction)))
        return np.nan if value % 1 < 0.05 else value % 1

    noisy.greater_is_better = greater_is_better
    full = quiet_train(**given, eval_metric=noisy)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="early stopping found no best round")
        stopped = quiet_train(
            **given, eval_metric=noisy, callbacks=[EarlyStopping(patience, tol=tol)]
        )
    curve = full.history["some"]["noisy"]
    best, n_rounds = stopped_by_hand(
        curve, patience=patience, tol=tol, greater_is_better=greater_is_better
    )
    assert (stopped.best_round, stopped.n_rounds) == (best, n_rounds)
    np.testing.assert_array_equal(stopped.history["some"]["noisy"], curve[:n_rounds])
    expected = full.predict(problem.X, n_rounds=n_rounds if best is None else best)
    assert stopped.predict(problem.X).tobytes() == expected.tobytes()


@settings(STEADY, max_examples=25)
@given(
    problem=small_problems() | small_problems(binary=True),
    lives=st.lists(st.integers(1, 6), max_size=4),
    every=st.integers(1, 4),
    patience=st.integers(1, 8),
    n_jobs=st.integers(1, 3),
)
def test_a_training_of_many_lives_is_one_training(problem, lives, every, patience, n_jobs):
    def callbacks(n_rounds):
        # One after the other in each life, as they would be in a script.
        decay = LearningRateSchedule(lambda round_: 0.5 * 0.9**round_)
        return [EarlyStopping(patience), decay, Kill(n_rounds)]

    straight = quiet_train(**arguments(problem), callbacks=callbacks(0))
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Checkpoint(Path(folder) / "a.ckpt", every=every)
        for life in lives:
            try:
                quiet_train(**arguments(problem), callbacks=[*callbacks(life), checkpoint])
            except KilledError:
                continue
        resumed = quiet_train(
            **arguments(problem, n_jobs=n_jobs), callbacks=[*callbacks(0), checkpoint]
        )
    assert resumed.to_bytes() == straight.to_bytes()


@settings(STEADY, max_examples=25)
@given(problem=small_problems() | small_problems(binary=True), other=small_problems())
def test_a_continued_model_keeps_its_rounds(problem, other):
    given = arguments(problem)
    old = quiet_train(params={**given["params"], "n_estimators": 3}, dataset=given["dataset"])
    weight = problem.weight
    moved = 1.5 * problem.X + 1
    dataset = Dataset(moved, problem.y, sample_weight=weight, init_model=old)
    new = quiet_train(**{**given, "dataset": dataset})
    width = problem.X.shape[1]
    for X in (problem.X, moved, np.resize(other.X, (len(other.X), width))):
        kept = new.predict(X, raw_score=True, n_rounds=3)
        assert kept.tobytes() == old.predict(X, raw_score=True).tobytes()
        assert np.isfinite(new.predict(X, raw_score=True)).all()
