"""A fit whose clock is read after every tree, and the test metric after every tree.

One run in a process of its own, like worker.py. Evaluation never counts: the models are trained
without evaluation sets and asked for the trees one by one when the clock has stopped.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.contestants import Contestant, Settings, contestant
from benchmarks.data import Problem, load
from benchmarks.peers.worker import Task, metric_of, warm_up

__all__ = ["TRACED", "Trace", "trace"]

Scores = Iterator[npt.NDArray[np.float64]]
Fit = Callable[[Contestant, Any, Settings, list[float]], Any]
Staged = Callable[[Any, Problem, Settings], Scores]


@dataclass(frozen=True)
class Trace:
    """Seconds since the start of the preparation, and the test metric, after each tree."""

    prepare: float
    seconds: list[float]
    metrics: list[float]
    metric_name: str
    n_rows: int
    version: str


def _fit_plboost(library: Contestant, data: Any, settings: Settings, ticks: list[float]) -> Any:
    from plboost import _core
    from plboost.booster import Booster
    from plboost.parameters import check_training_parameters, training_options
    from plboost.threads import resolve_threads

    parameters = check_training_parameters(library.parameters(settings))
    options = training_options(parameters)
    options.seed = data.seed

    # Below plboost.train, which does not read the clock between two rounds.
    n_threads = resolve_threads(settings.threads)
    with closing(_core.Trainer(data._core, options, [], n_threads=n_threads)) as trainer:
        for _ in range(parameters["n_estimators"]):
            trainer.round(parameters["learning_rate"])
            ticks.append(time.perf_counter())
        forest = trainer.forest()
    return Booster(
        forest, feature_names=None, history={}, parameters=parameters, created_by="benchmarks"
    )


def _staged_plboost(model: Any, problem: Problem, settings: Settings) -> Scores:
    return model.staged_predict(problem.X_test, n_jobs=settings.threads)


def _fit_lightgbm(library: Contestant, data: Any, settings: Settings, ticks: list[float]) -> Any:
    import lightgbm

    return lightgbm.train(
        library.parameters(settings),
        data,
        num_boost_round=settings.trees,
        callbacks=[lambda _environment: ticks.append(time.perf_counter())],
    )


def _staged_lightgbm(model: Any, problem: Problem, settings: Settings) -> Scores:
    total = np.zeros(len(problem.X_test))
    for tree in range(model.current_iteration()):
        total += model.predict(
            problem.X_test,
            start_iteration=tree,
            num_iteration=1,
            raw_score=True,
            num_threads=settings.threads,
        )
        yield _linked(total, settings)


def _fit_xgboost(library: Contestant, data: Any, settings: Settings, ticks: list[float]) -> Any:
    import xgboost

    class Clock(xgboost.callback.TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            ticks.append(time.perf_counter())
            return False

    return xgboost.train(
        library.parameters(settings), data, num_boost_round=settings.trees, callbacks=[Clock()]
    )


def _staged_xgboost(model: Any, problem: Problem, settings: Settings) -> Scores:
    import xgboost

    matrix = xgboost.DMatrix(problem.X_test)
    for tree in range(model.num_boosted_rounds()):
        yield model.predict(matrix, iteration_range=(0, tree + 1))


def _fit_without_ticks(library: Contestant, data: Any, settings: Settings, _: list[float]) -> Any:
    return library.fit(data, settings)


def _staged_catboost(model: Any, problem: Problem, settings: Settings) -> Scores:
    for raw in model.staged_predict(problem.X_test, prediction_type="RawFormulaVal"):
        yield _linked(np.asarray(raw), settings)


def _staged_sklearn(model: Any, problem: Problem, settings: Settings) -> Scores:
    if settings.loss == "squared_error":
        return model.staged_predict(problem.X_test)
    return (probability[:, 1] for probability in model.staged_predict_proba(problem.X_test))


def _linked(scores: npt.NDArray[np.float64], settings: Settings) -> npt.NDArray[np.float64]:
    if settings.loss == "squared_error":
        return scores
    return 1.0 / (1.0 + np.exp(-scores))


TRACED: dict[str, tuple[Fit, Staged]] = {
    "plboost": (_fit_plboost, _staged_plboost),
    "plboost-all-rows": (_fit_plboost, _staged_plboost),
    "lightgbm": (_fit_lightgbm, _staged_lightgbm),
    "lightgbm-linear": (_fit_lightgbm, _staged_lightgbm),
    "xgboost": (_fit_xgboost, _staged_xgboost),
    "catboost": (_fit_without_ticks, _staged_catboost),
    "hist-gradient-boosting": (_fit_without_ticks, _staged_sklearn),
}


def trace(task: Task) -> Trace:
    """Train with a clock, then evaluate every tree."""
    library = contestant(task.contestant)
    fit, staged = TRACED[task.contestant]
    settings = Settings(**task.settings)
    problem = load(task.data, seed=task.seed, max_rows=task.max_rows)
    warm_up(library, problem, settings)
    ticks: list[float] = []
    start = time.perf_counter()
    data = library.prepare(problem.X_train, problem.y_train, settings)
    prepared = time.perf_counter()
    model = fit(library, data, settings, ticks)
    end = time.perf_counter()
    metrics = [
        metric_of(settings.loss, problem.y_test, stage)
        for stage in staged(model, problem, settings)
    ]
    if ticks:
        # What follows the last tree belongs to the fit as well.
        ticks[-1] = end
    else:
        # No clock inside: every tree is taken to last as long as the others.
        ticks = list(np.linspace(prepared, end, len(metrics) + 1)[1:])
    return Trace(
        prepare=prepared - start,
        seconds=[tick - start for tick in ticks[: len(metrics)]],
        metrics=metrics,
        metric_name=problem.metric,
        n_rows=len(problem.X_train),
        version=library.version(),
    )


if __name__ == "__main__":
    result = trace(Task(**json.load(sys.stdin)))
    print(json.dumps(asdict(result)))
