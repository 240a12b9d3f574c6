"""A training in a process of its own, to be killed: killed_training.py checkpoint model [n].

With a number n the process kills itself in the middle of its n-th write of the checkpoint.
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


class Pause(Callback):
    """Leaves time to be killed in."""

    def after_round(self, state):
        time.sleep(0.01)


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
    path, model_path, *n_writes = sys.argv[1:]
    for n_write in n_writes:
        kill_in_write(int(n_write))
    print("started", flush=True)
    trained(Checkpoint(path, every=3), Pause()).save(model_path)
