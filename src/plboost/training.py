"""From a data set and parameters to a model."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from plboost import _core
from plboost.booster import Booster
from plboost.callbacks import Callback
from plboost.custom_loss import CustomLoss
from plboost.dataset import Dataset
from plboost.evaluation import EvaluationSet, evaluation_sets
from plboost.feature_lists import by_column
from plboost.ingest import check_classes
from plboost.init_model import check_continuation
from plboost.learning_rate import LOSSES_OF_CLASSES, automatic_learning_rate, balance_of_classes
from plboost.metrics import EvaluationMetrics, evaluation_metrics
from plboost.parameters import RANKING_LOSSES, check_training_parameters, training_options
from plboost.run import Run, check_callbacks
from plboost.subsample import UNJUDGED_LOSSES, automatic_subsample
from plboost.threads import resolve_threads
from plboost.tree_size import automatic_max_leaves

__all__ = ["open_run", "train"]


def train(
    params: Mapping[str, Any],
    dataset: Dataset,
    *,
    eval_sets: Mapping[str, Sequence[Any]] | None = None,
    eval_metric: object = None,
    callbacks: Sequence[Callback] | None = None,
    verbose: int = 0,
    n_jobs: int | None = None,
) -> Booster:
    """Train a model.

    Parameters
    ----------
    params : mapping
        Training parameters by name, as the estimators have them, and ``loss``: "squared_error",
        "log_loss" (classes 0, 1, 2, ...), "cross_entropy" (targets between 0 and 1, or rows of
        class probabilities), "lambdarank" and "listnet" (grades of documents; the data set must
        have a ``group``), or a function ``loss(y_true, raw_score) -> (gradient, hessian)``.
        What is left out has its default.
    dataset : Dataset
        The training data. If it continues a model (``init_model``), ``n_estimators`` counts the
        rounds that are added.
    eval_sets : mapping of str to tuple, optional
        Data on which the metrics are computed after every round: ``(X, y)``,
        ``(X, y, sample_weight)``, ``(X, y, sample_weight, init_score)``, or, of a loss that ranks,
        ``(X, y, sample_weight, init_score, group)``.
    eval_metric : str, callable or list of these, optional
        What to compute: names of metrics, or functions ``metric(y_true, prediction) -> float``,
        which get ``sample_weight`` too if they have such a parameter. A function for which more is
        better says so by its attribute ``greater_is_better = True``. By default the metric of the
        loss.
    callbacks : sequence of Callback, optional
        What watches and steers the training between rounds, see :mod:`plboost.callbacks`.
    verbose : int, default=0
        1 shows a progress bar on stderr, n > 1 a line every n rounds.
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
    with open_run(
        params,
        dataset,
        eval_sets=eval_sets,
        eval_metric=eval_metric,
        callbacks=callbacks,
        n_jobs=n_jobs,
    ) as run:
        run.execute(verbose=verbose)
        return run.booster()


@contextmanager
def open_run(
    params: Mapping[str, Any],
    dataset: Dataset,
    *,
    eval_sets: Mapping[str, Sequence[Any]] | None,
    eval_metric: object,
    callbacks: object,
    n_jobs: int | None,
    chosen_rate: float | None = None,
) -> Iterator[Run]:
    """Check the arguments of :func:`train` and start a training that has yet to be executed.

    Parameters
    ----------
    params, dataset, eval_sets, eval_metric, callbacks, n_jobs
        As of :func:`train`.
    chosen_rate : float, optional
        What takes the place of ``learning_rate=None``: the rate that was chosen for a model whose
        training goes on.

    Yields
    ------
    Run
        The training. Its threads end with the context, whatever happens.
    """
    checked = check_training_parameters(params)
    called = check_callbacks(callbacks)
    threads = resolve_threads(n_jobs)
    if not isinstance(dataset, Dataset):
        raise TypeError(
            f"dataset must be a plboost.Dataset, got {type(dataset).__name__}. "
            "Build one with Dataset(X, y)."
        )
    _check_queries(checked["loss"], dataset)
    _warn_of_small_weights(dataset, checked)
    sets = evaluation_sets(eval_sets, dataset)
    custom = None if isinstance(checked["loss"], str) else CustomLoss(checked["loss"], dataset)
    if custom is not None:
        checked["loss"] = "custom"
    metrics = EvaluationMetrics(
        evaluation_metrics(eval_metric, checked["loss"]), sets, checked["loss"]
    )
    lists = by_column(checked, dataset.feature_names, dataset.n_features, dataset._categories)
    options = training_options(checked | lists)
    _let_the_data_decide(checked, options, dataset)
    options.seed = dataset.seed
    options.metrics = metrics.names_in_core
    options.base_score = [] if custom is None else custom.base_score
    model = dataset.init_model
    if model is not None:
        check_continuation(model, checked, role="init_model")
        # Not the samples that the model has seen, if it was trained with the same seed.
        options.seed += model.n_rounds << 32
    core_sets = [data.to_core() for data in sets.values()]
    with closing(_core.Trainer(dataset._core, options, core_sets, n_threads=threads)) as trainer:
        _check_classes(checked["loss"], sets, trainer.n_outputs)
        _check_order(checked, lists["monotonic_cst"], trainer.n_outputs)
        _check_means(checked["loss"], dataset, trainer.n_outputs)
        if model is not None:
            trainer.extend(model._forest)
        chooses_rate = checked["learning_rate"] is None
        if chooses_rate:
            checked["learning_rate"] = chosen_rate or _rate(checked, options, trainer, dataset)
        yield Run(
            trainer,
            dataset,
            checked,
            chooses_rate=chooses_rate,
            custom=custom,
            sets=sets,
            metrics=metrics,
            callbacks=called,
        )


def _let_the_data_decide(
    checked: Mapping[str, Any], options: _core.TrainingOptions, dataset: Dataset
) -> None:
    """Choose what the user left open, but for the learning rate."""
    if checked["max_leaves"] is None:
        options.max_leaves = automatic_max_leaves(dataset.n_rows)
        options.adapts_leaves = checked["loss"] not in UNJUDGED_LOSSES
    options.lengthens_steps = checked["learning_rate"] is None
    options.shortens_steps = options.lengthens_steps and checked["loss"] in LOSSES_OF_CLASSES
    if checked["subsample"] is None and (options.adapts_leaves or options.shortens_steps):
        part = automatic_subsample(dataset.n_rows)
        # Enough for four leaves.
        if part * dataset.total_weight >= 4 * checked["min_samples_leaf"]:
            options.subsample = part


def _rate(
    checked: Mapping[str, Any],
    options: _core.TrainingOptions,
    trainer: _core.Trainer,
    dataset: Dataset,
) -> float:
    loss, n_rounds = checked["loss"], checked["n_estimators"]
    judged = options.shortens_steps and trainer.judges
    balance = 1.0
    if loss in LOSSES_OF_CLASSES:
        balance = balance_of_classes(trainer.forest().base_score)
    weight = dataset.total_weight
    return automatic_learning_rate(loss, weight, n_rounds, judged=judged, balance=balance)


def _check_queries(loss: object, dataset: Dataset) -> None:
    ranks = loss in RANKING_LOSSES
    if ranks and not dataset.n_queries:
        raise ValueError(
            f"loss={loss!r} ranks the rows of a query, but the data has no queries. "
            "Pass group, the number of rows of each, or qid, an id for each row, to the Dataset or "
            "to PLBoostRanker.fit."
        )
    if dataset.n_queries and not ranks:
        raise ValueError(
            f"the data has queries (group or qid), which loss={loss!r} does not look at. "
            f"Use one of {', '.join(map(repr, RANKING_LOSSES))}, or leave group and qid out."
        )


def _check_classes(loss: str, sets: Mapping[str, EvaluationSet], n_outputs: int) -> None:
    if loss == "log_loss":
        for name, data in sets.items():
            check_classes(data.y, max(2, n_outputs), input_name=f"eval set {name!r}")


def _check_order(checked: Mapping[str, Any], signs: Sequence[int], n_outputs: int) -> None:
    if checked["loss"] == "log_loss" and n_outputs > 1 and any(signs):
        raise ValueError(
            f"monotonic_cst={checked['monotonic_cst']!r} needs two classes, got {n_outputs}: with "
            "more of them the probability of one depends on the scores of all. "
            "Set monotonic_cst=None or train one model for each class."
        )


def _check_means(loss: str, dataset: Dataset, n_outputs: int) -> None:
    means = dataset._categories.means
    if loss == "log_loss" and n_outputs > 1 and means is not None and means.kind == "target":
        raise ValueError(
            f"category_means='target' takes the mean of y, which for loss='log_loss' holds the "
            f"numbers of {n_outputs} classes. Set category_means='classes' for their shares."
        )


def _warn_of_small_weights(dataset: Dataset, checked: Mapping[str, Any]) -> None:
    """Warn when the weights, not the number of rows, forbid every split."""
    known = 1.0 if checked["subsample"] is None else checked["subsample"]
    weight, least = known * dataset.total_weight, checked["min_samples_leaf"]
    if weight < 2 * least <= known * dataset.n_rows:
        warnings.warn(
            f"the sample weights sum to {weight:g}, less than twice "
            f"min_samples_leaf={least:g}, so no node can be split: min_samples_leaf "
            "counts weights, not rows. Scale the weights so that their mean is 1, or lower "
            "min_samples_leaf.",
            UserWarning,
            stacklevel=3,
        )
