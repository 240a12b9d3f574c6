"""A training in a process of its own: killed_training.py checkpoint model {finish | hold | n}.

finish: it is left alone. hold: it waits to be killed, at the latest after a few rounds.
A number n: it kills itself in the middle of its n-th write of the checkpoint.
"""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np

from plboost import Dataset, train
from plboost.callbacks import Callback, Checkpoint, EarlyStopping, LearningRateSchedule

N_ROUNDS = 40
N_ROUNDS_HELD = 4


class Hold(Callback):
    """Leaves time to be killed in; with `after` rounds it waits for that."""

    def __init__(self, after=None):
        self.rounds_left = after

    def after_round(self, state):
        if self.rounds_left is not None:
            self.rounds_left -= 1
        time.sleep(3600 if self.rounds_left == 0 else 0.01)


def trained(*further):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + rng.normal(size=300), [-0.5, 0.5])
    return train(
        {"loss": "log_loss", "n_estimators": N_ROUNDS, "max_leaves": 4, "min_samples_leaf": 5},
        Dataset(X[:200], y[:200], random_state=3),
        eval_sets={"valid": (X[200:], y[200:])},
        callbacks=[
            *further,
            EarlyStopping(15, metric="log_loss"),
            LearningRateSchedule(lambda round_: 0.3 * 0.97**round_),
        ],
        n_jobs=2,
    )


def kill_in_write(n: int) -> None:
    """Die before the n-th checkpoint takes the place of the one before."""
    replace = os.replace
    left = iter(range(n - 1))

    def replace_or_die(*paths):
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        replace(*paths)

    os.replace = replace_or_die


if __name__ == "__main__":
    path, model_path, way = sys.argv[1:]
    if way.isdigit():
        kill_in_write(int(way))
    print("started", flush=True)
    hold = Hold(N_ROUNDS_HELD if way == "hold" else None)
    trained(Checkpoint(path, every=3), hold).save(model_path)
