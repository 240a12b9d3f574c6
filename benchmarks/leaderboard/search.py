"""Random search under a limit of time, then one model of the whole training part.

One run in a process of its own: JSON in, JSON out. A fifth of the training part chooses the
setting and the number of trees; the test part is looked at once, at the end.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.data import Problem, load
from benchmarks.leaderboard.curves import Metric, Part, StopRule, Training, fit_curves
from benchmarks.leaderboard.defaults_worker import baseline_of
from benchmarks.leaderboard.ranking import failure_of
from benchmarks.leaderboard.runs import forbid_longer_than
from benchmarks.leaderboard.selection import best_iteration, validation_rows
from benchmarks.leaderboard.spaces import draw

PATIENCE = 100
MOST_TREES = 5000
# Time for the refit, which has no limit of its own, and for the trial that ends late.
EXTRA_TIME = 3600.0


@dataclass
class Found:
    """The best setting so far."""

    setting: dict[str, Any]
    trees: int
    metric: float


def metric_name(problem: Problem) -> Metric:
    return "rmse" if problem.task == "regression" else "log_loss"


def search(name: str, problem: Problem, task: dict[str, Any]) -> tuple[Found, dict[str, Any]]:
    """Draw settings until the budget is spent; also tell how many were tried."""
    seed = task["seed"]
    held_out = validation_rows(len(problem.y_train), seed)
    data = Part(problem.X_train[~held_out], problem.y_train[~held_out])
    valid = Part(problem.X_train[held_out], problem.y_train[held_out])
    # Libraries with spaces of the same size must not draw the same numbers.
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    start = time.monotonic()
    deadline = start + task["budget"]
    best: Found | None = None
    errors: list[str] = []
    trial = 0
    while trial == 0 or time.monotonic() < deadline:
        setting = draw(name, trial, rng)
        trial += 1
        job = Training(
            setting=setting,
            data=data,
            evals={"valid": valid},
            metric=metric_name(problem),
            trees=MOST_TREES,
            threads=task["threads"],
            seed=seed,
            stop=StopRule(PATIENCE, deadline),
        )
        try:
            curve = fit_curves(name, job)["valid"]
        except Exception as error:  # a setting that a library cannot train is a lost trial
            errors.append(f"{setting}: {type(error).__name__}: {error}")
            continue
        trees, metric = best_iteration(curve)
        if np.isfinite(metric) and (best is None or metric < best.metric):
            best = Found(setting, trees, metric)
    if best is None:
        raise RuntimeError(f"none of {trial} trials gave a model; the last: {errors[-1:]}")
    effort = {"trials": trial, "errors": errors, "search": time.monotonic() - start}
    return best, effort


def run(task: dict[str, Any]) -> dict[str, Any]:
    name = task["contestant"]
    problem = load(task["data"], seed=task["seed"], max_rows=task["max_rows"])
    best, effort = search(name, problem, task)
    job = Training(
        setting=best.setting,
        data=Part(problem.X_train, problem.y_train),
        evals={"test": Part(problem.X_test, problem.y_test)},
        metric=metric_name(problem),
        trees=best.trees,
        threads=task["threads"],
        seed=task["seed"],
    )
    start = time.monotonic()
    metric = fit_curves(name, job)["test"][-1]
    baseline = baseline_of(problem)
    return {
        "metric_name": problem.metric,
        "metric": metric,
        "baseline": baseline,
        "failure": failure_of(np.array([]), metric, baseline),
        "n_train": len(problem.X_train),
        "n_features": problem.X_train.shape[1],
        "fit": time.monotonic() - start,
        "setting": best.setting,
        "trees": best.trees,
        "validation": best.metric,
        **effort,
    }


if __name__ == "__main__":
    given = json.load(sys.stdin)
    forbid_longer_than(given["budget"] + EXTRA_TIME)
    print(json.dumps(run(given)))
