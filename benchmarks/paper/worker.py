"""One run of plboost with given parameters, in a process of its own: JSON in, JSON out."""

from __future__ import annotations

import json
import sys
import time

from sklearn.metrics import roc_auc_score

import plboost
from benchmarks.data import load
from benchmarks.peers.worker import metric_of
from plboost._core import stages

if __name__ == "__main__":
    task = json.load(sys.stdin)
    problem = load(task["data"], max_rows=task["max_rows"])
    threads = task["threads"]
    dataset = plboost.Dataset(
        problem.X_train, problem.y_train, max_bins=task["bins"], n_jobs=threads
    )
    start = time.perf_counter()
    parameters = {"loss": problem.loss, **task["parameters"]}
    booster = plboost.train(parameters, dataset, n_jobs=threads)
    seconds = time.perf_counter() - start
    prediction = booster.predict(problem.X_test, n_jobs=threads)
    result = {
        "seconds": seconds,
        "kernels": stages.active_kernels(),
        "metric_name": problem.metric,
        "metric": metric_of(problem.loss, problem.y_test, prediction),
    }
    if problem.task == "binary":
        result["auc"] = float(roc_auc_score(problem.y_test, prediction))
    print(json.dumps(result))
