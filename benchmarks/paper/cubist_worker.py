"""One contestant of appendix D on one set, in a process of its own: JSON in, JSON out."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.contestants import Settings, contestant
from benchmarks.data import Problem, load
from benchmarks.leaderboard.runs import forbid_longer_than
from benchmarks.peers.worker import metric_of, warm_up

__all__ = ["LEAVES"]

LEAVES = 32
TIME_LIMIT = 2 * 3600.0
Predict = Callable[[], npt.NDArray[np.float64]]


def fit_cubist(problem: Problem, trees: int) -> Predict:
    from cubist import Cubist

    model = Cubist(n_committees=trees, random_state=0).fit(problem.X_train, problem.y_train)
    return lambda: np.asarray(model.predict(problem.X_test), np.float64)


def fit_peer(name: str, problem: Problem, settings: Settings) -> Predict:
    library = contestant(name)
    data = library.prepare(problem.X_train, problem.y_train, settings)
    model = library.fit(data, settings)
    return lambda: np.asarray(library.predict(model, problem.X_test, settings), np.float64)


def run(task: dict[str, Any]) -> dict[str, Any]:
    from sklearn.metrics import roc_auc_score

    name = task["contestant"]
    problem = load(task["data"], max_rows=task["max_rows"])
    settings = Settings(
        loss=problem.loss, trees=task["trees"], leaves=LEAVES, threads=task["threads"]
    )
    if name != "cubist":
        warm_up(contestant(name), problem, settings)
    start = time.perf_counter()
    if name == "cubist":
        predict = fit_cubist(problem, task["trees"])
    else:
        predict = fit_peer(name, problem, settings)
    fitted = time.perf_counter()
    prediction = predict()
    end = time.perf_counter()
    is_binary = problem.task == "binary"
    measure = roc_auc_score if is_binary else lambda y, p: metric_of("squared_error", y, p)
    return {
        "failure": None,
        "metric_name": "auc" if is_binary else "rmse",
        "metric": float(measure(problem.y_test, prediction)),
        "n_train": len(problem.X_train),
        "fit": fitted - start,
        "predict": end - fitted,
    }


if __name__ == "__main__":
    forbid_longer_than(TIME_LIMIT)
    print(json.dumps(run(json.load(sys.stdin))))
