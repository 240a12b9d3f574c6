"""Ctrl-C during training, in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.meta.repository import ROOT

PROGRAM = """
import json, os, sys, threading, time
import numpy as np
from plboost import _core
from tests.rounds import train_rounds

rng = np.random.default_rng(0)
X = rng.normal(size=(60_000, 10))
data = _core.Dataset(X, X[:, 0] * X[:, 1], None, max_bins=255, seed=0, n_threads=2)
options = _core.TrainingOptions()
options.max_leaves, options.fitting = {max_leaves}, {fitting!r}

def n_threads():
    return len(os.listdir("/proc/self/task"))

before = n_threads()
threading.Timer(0.6, lambda: print("training", flush=True)).start()
time.sleep(0.2)
try:
    train_rounds(data, options, n_rounds=10**6, n_threads=3)
    caught = False
except KeyboardInterrupt:
    caught = True
stopped = time.monotonic()
deadline = stopped + 2
while n_threads() != before and time.monotonic() < deadline:
    time.sleep(0.001)
options.max_leaves = 2
again = train_rounds(data, options, n_rounds=1, n_threads=2).n_trees
print(json.dumps([caught, before, n_threads(), again, stopped]), flush=True)
"""


@pytest.mark.parametrize(
    ("fitting", "max_leaves"), [("half_additive", 31), ("half_additive", 5000), ("additive", 31)]
)
def test_training_stops_at_ctrl_c_and_leaves_no_thread(fitting, max_leaves):
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(fitting=fitting, max_leaves=max_leaves)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "training\n"
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            # The training would go on for days.
            output, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    caught, before, after, again, stopped = json.loads(output)
    assert caught
    # Both processes read the same clock. It takes some 20 ms; the rest is for a busy machine.
    assert stopped - sent < 3.0
    assert after == before
    assert again == 1
