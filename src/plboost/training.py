"""From a data set and parameters to a model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from plboost import _core
from plboost.booster import Booster
from plboost.custom_loss import CustomLoss
from plboost.dataset import Dataset
from plboost.evaluation import EvaluationSet, evaluation_sets
from plboost.ingest import check_classes
from plboost.metrics import EvaluationMetrics, evaluation_metrics
from plboost.model_file import History
from plboost.parameters import check_parameter, check_training_parameters, training_options
from plboost.progress import Progress
from plboost.threads import resolve_threads
from plboost.versions import own_version

__all__ = ["train"]


def train(
    params: Mapping[str, Any],
    dataset: Dataset,
    *,
    eval_sets: Mapping[str, Sequence[Any]] | None = None,
    eval_metric: object = None,
    verbose: int = 0,
    n_jobs: int | None = None,
) -> Booster:
    """Train a model.

    Parameters
    ----------
    params : mapping
        Training parameters by name, as the estimators have them, and ``loss``: "squared_error",
        "log_loss" (classes 0, 1, 2, ...), "cross_entropy" (targets between 0 and 1, or rows of
        class probabilities), or a function ``loss(y_true, raw_score) -> (gradient, hessian)``.
        What is left out has its default.
    dataset : Dataset
        The training data.
    eval_sets : mapping of str to tuple, optional
        Data on which the metrics are computed after every round: ``(X, y)``,
        ``(X, y, sample_weight)`` or ``(X, y, sample_weight, init_score)``.
    eval_metric : str, callable or list of these, optional
        What to compute: names of metrics, or functions ``metric(y_true, prediction) -> float``,
        which get ``sample_weight`` too if they have such a parameter. A function for which more is
        better says so by its attribute ``greater_is_better = True``. By default the metric of the
        loss.
    verbose : int, default=0
        1 shows a progress line on stderr, n > 1 a line every n rounds.
    n_jobs : int, optional
        Number of threads; None and -1 mean all available. The model does not depend on it.

    Returns
    -------
    Booster
        The model. Its ``history`` is ``{set: {metric: [value of each round]}}``.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(500, 3))
    >>> y = np.sin(6 * X[:, 0]) + X[:, 1]
    >>> dataset = Dataset(X[:400], y[:400])
    >>> booster = train(
    ...     {"n_estimators": 50, "max_leaves": 8}, dataset, eval_sets={"valid": (X[400:], y[400:])}
    ... )
    >>> curve = booster.history["valid"]["rmse"]
    >>> len(curve), curve[-1] < curve[0]
    (50, True)
    """
    checked = check_training_parameters(params)
    level = check_parameter("verbose", int(verbose) if isinstance(verbose, bool) else verbose)
    threads = resolve_threads(n_jobs)
    if not isinstance(dataset, Dataset):
        raise TypeError(
            f"dataset must be a plboost.Dataset, got {type(dataset).__name__}. "
            "Build one with Dataset(X, y)."
        )
    _warn_of_small_weights(dataset, checked["min_samples_leaf"])
    sets = evaluation_sets(eval_sets, dataset)
    custom = None if isinstance(checked["loss"], str) else CustomLoss(checked["loss"], dataset)
    if custom is not None:
        checked["loss"] = "custom"
    metrics = EvaluationMetrics(
        evaluation_metrics(eval_metric, checked["loss"]), sets, checked["loss"]
    )
    history = metrics.empty_history()
    names = [f"{name} {metric}" for name, curves in history.items() for metric in curves]
    progress = Progress(checked["n_estimators"], names, verbose=level) if level else None
    options = training_options(checked)
    options.seed = dataset.seed
    options.metrics = metrics.names_in_core
    options.base_score = [] if custom is None else custom.base_score
    core_sets = [data.to_core() for data in sets.values()]
    trainer = _core.Trainer(dataset._core, options, core_sets, n_threads=threads)
    with closing(trainer):
        _check_classes(checked["loss"], sets, trainer.n_outputs)
        try:
            _run(trainer, checked, custom, metrics, history, progress)
        finally:
            if progress is not None:
                progress.close()
        forest = trainer.forest()
    return Booster(
        forest,
        feature_names=dataset.feature_names,
        history=history,
        parameters=checked,
        created_by=f"plboost {own_version()}",
    )


def _run(
    trainer: _core.Trainer,
    checked: Mapping[str, Any],
    custom: CustomLoss | None,
    metrics: EvaluationMetrics,
    history: History,
    progress: Progress | None,
) -> None:
    """Train round by round; whatever watches or steers a training acts between two rounds."""
    all_curves = [curve for curves in history.values() for curve in curves.values()]
    for round_index in range(checked["n_estimators"]):
        if custom is not None:
            custom.give_gradients(trainer)
        trainer.round(checked["learning_rate"])
        values = metrics.values(trainer)
        for curve, value in zip(all_curves, values, strict=True):
            curve.append(value)
        if progress is not None:
            progress.update(round_index, values)


def _check_classes(loss: str, sets: Mapping[str, EvaluationSet], n_outputs: int) -> None:
    if loss == "log_loss":
        for name, data in sets.items():
            check_classes(data.y, max(2, n_outputs), input_name=f"eval set {name!r}")


def _warn_of_small_weights(dataset: Dataset, min_samples_leaf: float) -> None:
    """Warn when the weights, not the number of rows, forbid every split."""
    if dataset.total_weight < 2 * min_samples_leaf <= dataset.n_rows:
        warnings.warn(
            f"the sample weights sum to {dataset.total_weight:g}, less than twice "
            f"min_samples_leaf={min_samples_leaf:g}, so no node can be split: min_samples_leaf "
            "counts weights, not rows. Scale the weights so that their mean is 1, or lower "
            "min_samples_leaf.",
            UserWarning,
            stacklevel=3,
        )
