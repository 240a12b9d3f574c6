"""Training beside other threads, and its end by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from plboost import Dataset, train

# Long enough to notice, and never waited for.
ENDLESS = {"n_estimators": 1_000_000, "max_leaves": 31}


def run(code: str, timeout: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.mark.skipif(os.name != "posix", reason="signals and /proc are those of POSIX")
def test_ctrl_c_ends_the_training_and_leaves_no_thread():
    result = run(
        f"""
        import os, signal, threading, time
        import numpy as np
        from plboost import Dataset, train

        X = np.random.default_rng(0).normal(size=(20_000, 5))
        dataset = Dataset(X, X[:, 0] * X[:, 1], n_jobs=4)
        train({{"n_estimators": 1}}, dataset, n_jobs=4)
        threads = len(os.listdir("/proc/self/task"))
        interrupt = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        try:
            train({ENDLESS}, dataset, n_jobs=4)
        except KeyboardInterrupt:
            interrupt.join()
            left = len(os.listdir("/proc/self/task")) - threads
            print("interrupted, threads left:", left)
        """,
        timeout=60,
    )
    assert result.stdout == "interrupted, threads left: 0\n", result.stderr


def test_other_threads_run_while_one_trains(problem):
    X, y = problem
    dataset = Dataset(np.tile(X, (40, 1)), np.tile(y, 40))
    ticks = []
    training = threading.Thread(
        target=train, args=({"n_estimators": 60}, dataset), kwargs={"n_jobs": 1}
    )
    training.start()
    while training.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    training.join()
    # With the lock held by the training, a single tick would be all.
    assert len(ticks) > 10


def test_two_threads_train_two_models_as_if_alone(problem):
    expected = [train({"n_estimators": 20, "max_leaves": k}, Dataset(*problem)) for k in (5, 9)]
    dataset = Dataset(*problem)
    found = {}

    def work(k: int) -> None:
        found[k] = train({"n_estimators": 20, "max_leaves": k}, dataset, n_jobs=2)

    threads = [threading.Thread(target=work, args=(k,)) for k in (5, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, model in zip((5, 9), expected, strict=True):
        assert found[k].to_bytes() == model.to_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_can_train(problem):
    expected = train({"n_estimators": 3}, Dataset(*problem), n_jobs=2).to_bytes()
    child = os.fork()
    if child == 0:
        same = train({"n_estimators": 3}, Dataset(*problem), n_jobs=2).to_bytes() == expected
        os._exit(0 if same else 1)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the forked process hangs")
