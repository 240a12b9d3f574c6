"""One run of one contestant in a process of its own: JSON on stdin, JSON as the last line."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.contestants import Contestant, Settings, contestant
from benchmarks.data import Problem, load
from benchmarks.machine import PeakMemory

__all__ = ["Measurement", "Task", "measure", "metric_of", "warm_up"]


@dataclass(frozen=True)
class Task:
    """What a run is told."""

    data: str
    contestant: str
    settings: dict[str, Any]
    seed: int = 0
    max_rows: int | None = None


@dataclass(frozen=True)
class Measurement:
    """What a run tells."""

    n_rows: int
    n_features: int
    n_test: int
    prepare: float
    fit_only: float
    predict: float
    cpu: float
    memory: int
    memory_is_exact: bool
    metric_name: str
    metric: float
    package: str
    version: str

    @property
    def fit(self) -> float:
        """Seconds of fit with the preparation of the data."""
        return self.prepare + self.fit_only


def metric_of(
    loss: str, y: npt.NDArray[np.float64], prediction: npt.NDArray[np.floating[Any]]
) -> float:
    """RMSE, or the log loss of probabilities."""
    p = np.asarray(prediction, np.float64)
    if loss == "squared_error":
        return float(np.sqrt(np.mean((y - p) ** 2)))
    p = np.clip(p, 1e-15, 1 - 1e-15)
    return float(-np.mean(y * np.log(p) + (1 - y) * np.log1p(-p)))


def warm_up(library: Contestant, problem: Problem, settings: Settings) -> None:
    """Fit a few rows: imports, the start of threads and other first steps are no part of a fit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 5)).astype(problem.X_train.dtype)
    y = (X[:, 0] > 0).astype(np.float64)
    small = Settings(loss=settings.loss, trees=2, leaves=4, threads=settings.threads)
    library.predict(library.fit(library.prepare(X, y, small), small), X, small)


def measure(task: Task) -> Measurement:
    """Load the data, then time preparation, fit and prediction."""
    library = contestant(task.contestant)
    settings = Settings(**task.settings)
    problem = load(task.data, seed=task.seed, max_rows=task.max_rows)
    if problem.loss != settings.loss:
        raise ValueError(f"{task.data} needs loss={problem.loss!r}, got {settings.loss!r}.")
    warm_up(library, problem, settings)
    memory = PeakMemory()
    cpu = time.process_time()
    start = time.perf_counter()
    data = library.prepare(problem.X_train, problem.y_train, settings)
    prepared = time.perf_counter()
    model = library.fit(data, settings)
    fitted = time.perf_counter()
    cpu = time.process_time() - cpu
    peak = memory.read()
    begin = time.perf_counter()
    prediction = library.predict(model, problem.X_test, settings)
    predicted = time.perf_counter() - begin
    return Measurement(
        n_rows=len(problem.X_train),
        n_features=problem.X_train.shape[1],
        n_test=len(problem.X_test),
        prepare=prepared - start,
        fit_only=fitted - prepared,
        predict=predicted,
        cpu=cpu,
        memory=peak,
        memory_is_exact=memory.exact,
        metric_name=problem.metric,
        metric=metric_of(settings.loss, problem.y_test, prediction),
        package=library.package,
        version=library.version(),
    )


if __name__ == "__main__":
    result = measure(Task(**json.load(sys.stdin)))
    print(json.dumps(asdict(result)))
