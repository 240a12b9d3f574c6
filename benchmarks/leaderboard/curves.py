"""The metric after every tree, for every library, on one or several evaluation sets.

A rule that sees the metric of the first set may end the training early. Metrics are the libraries'
own: RMSE, log loss or AUC of the model so far.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["Curves", "Metric", "Part", "StopRule", "Training", "fit_curves"]

Metric = Literal["rmse", "log_loss", "auc"]
Curves = dict[str, list[float]]
"""Name of the evaluation set -> metric after 1, 2, ... trees."""


@dataclass(frozen=True)
class Part:
    """Some rows of a data set."""

    X: npt.NDArray[np.floating[Any]]
    y: npt.NDArray[np.float64]


@dataclass
class StopRule:
    """End a training that has not improved for ``patience`` trees or is still on at a deadline."""

    patience: int | None = None
    deadline: float | None = None
    """A reading of ``time.monotonic``."""
    best: float = field(default=math.inf, init=False)
    since: int = field(default=0, init=False)

    def __call__(self, value: float) -> bool:
        """Take the next value, of which smaller is better; tell whether to end."""
        self.since = 0 if value < self.best else self.since + 1
        self.best = min(self.best, value)
        return (self.patience is not None and self.since >= self.patience) or self.is_late()

    def is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline


@dataclass(frozen=True)
class Training:
    """What is trained on what. The setting is in the library's own names."""

    setting: dict[str, Any]
    data: Part
    evals: dict[str, Part]
    metric: Metric
    trees: int
    threads: int
    seed: int = 0
    stop: StopRule = field(default_factory=StopRule)

    @property
    def is_regression(self) -> bool:
        return self.metric == "rmse"


def _plboost(job: Training) -> Curves:
    import plboost
    from plboost.callbacks import Callback, TrainingState

    first = next(iter(job.evals))

    class Stop(Callback):
        def after_round(self, state: TrainingState) -> None:
            if job.stop(state.history[first][job.metric][-1]):
                state.stop("by the rule of the benchmark")

    given = {name: value for name, value in job.setting.items() if name != "max_bins"}
    bins = {name: value for name, value in job.setting.items() if name == "max_bins"}
    loss = "squared_error" if job.is_regression else "log_loss"
    parameters = {"loss": loss, "n_estimators": job.trees, **given}
    data = plboost.Dataset(
        job.data.X, job.data.y, **bins, random_state=job.seed, n_jobs=job.threads
    )
    if job.metric == "auc":
        model = plboost.train(parameters, data, n_jobs=job.threads)
        return {
            name: [_auc(part.y, s) for s in model.staged_predict(part.X, n_jobs=job.threads)]
            for name, part in job.evals.items()
        }
    model = plboost.train(
        parameters,
        data,
        eval_sets={name: (part.X, part.y) for name, part in job.evals.items()},
        callbacks=[Stop()],
        n_jobs=job.threads,
    )
    return {name: list(model.history[name][job.metric]) for name in job.evals}


def _auc(y: npt.NDArray[np.float64], scores: npt.NDArray[np.float64]) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(y, scores))


def _lightgbm(job: Training) -> Curves:
    import lightgbm
    from lightgbm.callback import EarlyStopException

    metric = {"rmse": "rmse", "log_loss": "binary_logloss", "auc": "auc"}[job.metric]
    parameters = {
        "objective": "regression" if job.is_regression else "binary",
        "metric": metric,
        "num_threads": job.threads,
        "seed": job.seed,
        "verbosity": -1,
        **job.setting,
    }
    data = lightgbm.Dataset(job.data.X, job.data.y, params=parameters)
    history: dict[str, dict[str, list[float]]] = {}
    first = next(iter(job.evals))

    def stop(environment: Any) -> None:
        if job.stop(history[first][metric][-1]):
            raise EarlyStopException(environment.iteration, [])

    # LightGBM reads a callback's turn from this attribute: after record_evaluation, which has 20.
    stop.order = 30  # type: ignore[attr-defined]
    lightgbm.train(
        parameters,
        data,
        num_boost_round=job.trees,
        valid_sets=[data.create_valid(part.X, part.y) for part in job.evals.values()],
        valid_names=list(job.evals),
        callbacks=[lightgbm.record_evaluation(history), stop],
    )
    return {name: list(history[name][metric]) for name in job.evals}


def _lightgbm_linear(job: Training) -> Curves:
    return _lightgbm(replace(job, setting=job.setting | {"linear_tree": True}))


def _xgboost(job: Training) -> Curves:
    import xgboost

    metric = {"rmse": "rmse", "log_loss": "logloss", "auc": "auc"}[job.metric]
    first = next(iter(job.evals))

    class Stop(xgboost.callback.TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            return job.stop(evals_log[first][metric][-1])

    parameters = {
        "objective": "reg:squarederror" if job.is_regression else "binary:logistic",
        "eval_metric": metric,
        "tree_method": "hist",
        "nthread": job.threads,
        "seed": job.seed,
        "verbosity": 0,
        **job.setting,
    }
    history: dict[str, dict[str, list[float]]] = {}
    xgboost.train(
        parameters,
        xgboost.DMatrix(job.data.X, job.data.y, nthread=job.threads),
        num_boost_round=job.trees,
        evals=[
            (xgboost.DMatrix(part.X, part.y, nthread=job.threads), name)
            for name, part in job.evals.items()
        ],
        evals_result=history,
        verbose_eval=False,
        callbacks=[Stop()],
    )
    return {name: list(history[name][metric]) for name in job.evals}


def _catboost(job: Training) -> Curves:
    import catboost

    metric = {"rmse": "RMSE", "log_loss": "Logloss", "auc": "AUC"}[job.metric]
    several = len(job.evals) > 1
    names = [f"validation_{i}" if several else "validation" for i in range(len(job.evals))]

    class Stop:
        def after_iteration(self, info: Any) -> bool:
            return not job.stop(info.metrics[names[0]][metric][-1])

    parameters = {
        "loss_function": "RMSE" if job.is_regression else "Logloss",
        "eval_metric": metric,
        "iterations": job.trees,
        "thread_count": job.threads,
        "random_seed": job.seed,
        "allow_writing_files": False,
        "logging_level": "Silent",
        **job.setting,
    }
    model = catboost.CatBoost(parameters)
    model.fit(
        catboost.Pool(job.data.X, job.data.y, thread_count=job.threads),
        eval_set=[
            catboost.Pool(part.X, part.y, thread_count=job.threads) for part in job.evals.values()
        ],
        use_best_model=False,
        callbacks=[Stop()],
    )
    found = model.get_evals_result()
    return {ours: list(found[name][metric]) for ours, name in zip(job.evals, names, strict=True)}


def _hist_gradient_boosting(job: Training) -> Curves:
    """Train in pieces: it can go on with a model, but calls nobody between two trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingRegressor if job.is_regression else HistGradientBoostingClassifier
    ((name, part),) = job.evals.items()
    model = kind(
        **job.setting,
        max_iter=min(50, job.trees),
        warm_start=True,
        early_stopping=True,
        n_iter_no_change=job.stop.patience or job.trees + 1,
        tol=0.0,
        random_state=job.seed,
    )
    while True:
        model.fit(job.data.X, job.data.y, X_val=part.X, y_val=part.y)
        if model.n_iter_ < model.max_iter or model.max_iter == job.trees or job.stop.is_late():
            break
        model.max_iter = min(model.max_iter + 50, job.trees)
    # The first score is that of no tree; the loss of regression is half the squared error.
    losses = -np.asarray(model.validation_score_)[1:]
    values = np.sqrt(2 * losses) if job.is_regression else losses
    return {name: values.tolist()}


def _perpetual(job: Training) -> Curves:
    """It has no curve: it ends by itself, so there is one value, that of the finished model."""
    import perpetual

    from benchmarks.peers.worker import metric_of

    ((name, part),) = job.evals.items()
    kind = perpetual.PerpetualRegressor if job.is_regression else perpetual.PerpetualClassifier
    late = job.stop.deadline
    timeout = {} if late is None else {"timeout": max(1.0, late - time.monotonic())}
    model = kind(seed=job.seed, num_threads=job.threads, **job.setting, **timeout)
    model.fit(job.data.X, job.data.y)
    if job.is_regression:
        return {name: [metric_of("squared_error", part.y, np.asarray(model.predict(part.X)))]}
    share = np.asarray(model.predict_proba(part.X))[:, 1]
    return {name: [metric_of("log_loss", part.y, share)]}


LIBRARIES: dict[str, Callable[[Training], Curves]] = {
    "plboost": _plboost,
    "lightgbm": _lightgbm,
    "lightgbm-linear": _lightgbm_linear,
    "xgboost": _xgboost,
    "catboost": _catboost,
    "hist-gradient-boosting": _hist_gradient_boosting,
    "perpetual": _perpetual,
}


def fit_curves(name: str, job: Training) -> Curves:
    """Train the library and return the metric after every tree."""
    return LIBRARIES[name](job)
