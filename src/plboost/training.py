"""From a data set and parameters to a model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from plboost import _core
from plboost.booster import Booster
from plboost.dataset import Dataset
from plboost.ingest import binary_target, feature_matrix, target_vector, weight_vector
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
    verbose: int = 0,
    n_jobs: int | None = None,
) -> Booster:
    """Train a model.

    Parameters
    ----------
    params : mapping
        Training parameters by name, as the estimators have them, and ``loss``
        ("squared_error" or "log_loss"). What is left out has its default.
    dataset : Dataset
        The training data.
    eval_sets : mapping of str to (X, y) or (X, y, sample_weight), optional
        Data on which the metric (RMSE or log loss) is computed after every round.
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
    if checked["loss"] == "log_loss":
        _check_two_classes(dataset)
    _warn_of_small_weights(dataset, checked["min_samples_leaf"])
    sets = _evaluation_sets(eval_sets, dataset, checked["loss"])
    metric = _core.metric_name(checked["loss"])
    curves: list[list[float]] = [[] for _ in sets]
    n_rounds = checked["n_estimators"]
    progress = (
        Progress(n_rounds, [f"{name} {metric}" for name in sets], verbose=level) if level else None
    )

    def on_round(round_index: int, values: list[float]) -> None:
        for curve, value in zip(curves, values, strict=True):
            curve.append(value)
        if progress is not None:
            progress.update(round_index, values)

    options = training_options(checked)
    options.seed = dataset.seed
    try:
        forest = _core.train(
            dataset._core,
            options,
            list(sets.values()),
            n_threads=threads,
            on_round=on_round if sets or progress is not None else None,
        )
    finally:
        if progress is not None:
            progress.close()
    return Booster(
        forest,
        feature_names=dataset.feature_names,
        history={name: {metric: curve} for name, curve in zip(sets, curves, strict=True)},
        parameters=checked,
        created_by=f"plboost {own_version()}",
    )


def _evaluation_sets(
    eval_sets: Mapping[str, Sequence[Any]] | None, dataset: Dataset, loss: str
) -> dict[str, _core.EvaluationSet]:
    if eval_sets is None:
        return {}
    if not isinstance(eval_sets, Mapping):
        raise TypeError(
            "eval_sets must be a dict of names and (X, y) or (X, y, sample_weight), got "
            f"{type(eval_sets).__name__}. Pass {{'valid': (X, y)}}."
        )
    sets: dict[str, _core.EvaluationSet] = {}
    for name, parts in eval_sets.items():
        if not isinstance(name, str):
            raise TypeError(
                f"the names of eval_sets must be strings, got {name!r} ({type(name).__name__})."
            )
        if not isinstance(parts, (tuple, list)) or len(parts) not in (2, 3):
            raise ValueError(
                f"eval_sets[{name!r}] must be (X, y) or (X, y, sample_weight), got "
                f"{type(parts).__name__}"
                + (f" of length {len(parts)}." if isinstance(parts, (tuple, list)) else ".")
                + " Pass a tuple of two or three arrays."
            )
        X = feature_matrix(
            parts[0],
            n_features=dataset.n_features,
            feature_names=dataset.feature_names,
            input_name=f"X of eval set {name!r}",
        )
        y = target_vector(parts[1], n_rows=len(X), input_name=f"y of eval set {name!r}")
        if loss == "log_loss":
            binary_target(y, input_name=f"eval set {name!r}")
        weight = weight_vector(
            parts[2] if len(parts) == 3 else None,
            n_rows=len(X),
            input_name=f"sample_weight of eval set {name!r}",
        )
        sets[name] = _core.EvaluationSet(X, y, weight)
    return sets


def _check_two_classes(dataset: Dataset) -> None:
    binary_target(dataset._some_targets)
    if len(dataset._some_targets) < 2:
        raise ValueError(
            "loss='log_loss' needs rows of both classes, got only the target "
            f"{dataset._some_targets[0]:g} in the rows of positive weight. "
            "Add rows of the other class."
        )


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
