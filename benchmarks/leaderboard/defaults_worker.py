"""One contestant at its defaults on one set, in a process of its own: JSON in, JSON out."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from benchmarks.data import Problem, load
from benchmarks.leaderboard.estimators import default_estimator
from benchmarks.leaderboard.ranking import failure_of
from benchmarks.leaderboard.runs import forbid_longer_than
from benchmarks.peers.worker import metric_of

__all__ = ["baseline_of"]

TIME_LIMIT = 3600.0


def baseline_of(problem: Problem) -> float:
    """Return the test metric of the constant prediction: the training part's mean or share."""
    constant = np.full(len(problem.y_test), problem.y_train.mean())
    return metric_of(problem.loss, problem.y_test, constant)


def run(task: dict[str, Any]) -> dict[str, Any]:
    problem = load(task["data"], seed=task["seed"], max_rows=task["max_rows"])
    estimator = default_estimator(task["contestant"], problem.task, task["seed"], task["threads"])
    binary = problem.task == "binary"
    y = problem.y_train.astype(np.int64) if binary else problem.y_train
    start = time.perf_counter()
    estimator.fit(problem.X_train, y)
    fitted = time.perf_counter()
    predict = estimator.predict_proba if binary else estimator.predict
    prediction = np.asarray(predict(problem.X_test), np.float64)
    end = time.perf_counter()
    prediction = prediction[:, 1] if binary else prediction
    metric = metric_of(problem.loss, problem.y_test, prediction)
    baseline = baseline_of(problem)
    return {
        "metric_name": problem.metric,
        "metric": metric,
        "baseline": baseline,
        "failure": failure_of(prediction, metric, baseline),
        "n_train": len(problem.X_train),
        "n_features": problem.X_train.shape[1],
        "fit": fitted - start,
        "predict": end - fitted,
    }


if __name__ == "__main__":
    forbid_longer_than(TIME_LIMIT)
    print(json.dumps(run(json.load(sys.stdin))))
