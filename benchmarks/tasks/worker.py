"""One fit of one contestant for a job, in a process of its own: JSON in, JSON as the last line."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks.contestants import Settings
from benchmarks.tasks.data import Parts, load_parts
from benchmarks.tasks.jobs import Job
from benchmarks.tasks.metrics import measured
from benchmarks.tasks.models import model_of

__all__ = ["Measurement", "Task", "measure"]

WARM_UP_ROWS = 1000


@dataclass(frozen=True)
class Task:
    """What a run is told."""

    job: dict[str, Any]
    contestant: str
    settings: dict[str, Any] | None
    """None: the contestant's defaults."""
    threads: int
    max_rows: int | None = None
    max_trees: int | None = None


@dataclass(frozen=True)
class Measurement:
    """What a run tells."""

    n_rows: int
    n_features: int
    n_test: int
    fit: float
    """Seconds with the preparation of the data, which is part of the estimators' fit."""
    metrics: dict[str, float]


def _fit(model: Any, parts: Parts) -> None:
    if parts.sizes_train is None:
        model.fit(parts.X_train, parts.y_train)
    else:
        model.fit(parts.X_train, parts.y_train, group=parts.sizes_train)


def _warm_up(model: Any, parts: Parts) -> None:
    """Fit a few rows: imports and the start of threads are no part of a fit."""
    n_rows, sizes = min(WARM_UP_ROWS, len(parts.y_train)), None
    if parts.sizes_train is not None:
        ends = np.cumsum(parts.sizes_train)
        sizes = parts.sizes_train[ends <= n_rows]
        n_rows = int(sizes.sum())
    few = Parts(parts.X_train[:n_rows], parts.y_train[:n_rows], None, parts.y_test, sizes)
    _fit(clone(model).set_params(n_estimators=2), few)


def measure(task: Task) -> Measurement:
    """Load the data, fit by the clock, and measure the predictions."""
    job = Job(**task.job)
    parts = load_parts(job.data, split=job.split, max_rows=task.max_rows)
    settings = None if task.settings is None else Settings(**task.settings)
    model = model_of(task.contestant, job.loss, job.alpha, settings, task.threads)
    if task.max_trees is not None:
        model.set_params(n_estimators=task.max_trees)
    _warm_up(model, parts)
    start = time.perf_counter()
    _fit(model, parts)
    seconds = time.perf_counter() - start
    predict = model.predict_proba if job.loss == "log_loss" else model.predict
    prediction = np.asarray(predict(parts.X_test), np.float64)
    return Measurement(
        n_rows=len(parts.y_train),
        n_features=parts.X_train.shape[1],
        n_test=len(parts.y_test),
        fit=seconds,
        metrics={
            name: measured(name, parts.y_test, prediction, alpha=job.alpha, sizes=parts.sizes_test)
            for name in job.metrics
        },
    )


if __name__ == "__main__":
    result = measure(Task(**json.load(sys.stdin)))
    print(json.dumps(asdict(result)))
