"""What evaluation sets are measured with: metrics of the core and functions of the user."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost import _core
from plboost.evaluation import EvaluationSet

__all__ = ["EvaluationMetrics", "Metric", "evaluation_metrics"]


@dataclass(frozen=True)
class Metric:
    """A metric by name, or a function ``metric(y_true, prediction) -> float``."""

    name: str
    function: Callable[..., Any] | None = None
    greater_is_better: bool = False

    @property
    def takes_weights(self) -> bool:
        """Whether the function has a parameter ``sample_weight``."""
        try:
            return "sample_weight" in inspect.signature(self.function).parameters  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return False

    def measure(
        self,
        y: npt.NDArray[np.float64],
        prediction: npt.NDArray[np.float64],
        weight: npt.NDArray[np.float64] | None,
    ) -> float:
        """Call the function.

        Parameters
        ----------
        y : ndarray
            Targets.
        prediction : ndarray
            Predictions, after the link.
        weight : ndarray or None
            Weights of the rows, for a function that takes them.

        Returns
        -------
        float
            Its value.
        """
        assert self.function is not None
        extra = {"sample_weight": weight} if self.takes_weights else {}
        value = self.function(y, prediction, **extra)
        if not isinstance(value, numbers.Real):
            raise TypeError(
                f"the metric {self.name} must return a number, got {value!r} "
                f"({type(value).__name__})."
            )
        return float(value)


def evaluation_metrics(eval_metric: object, loss: str) -> list[Metric]:
    """Check the argument ``eval_metric`` of :func:`plboost.train`.

    Parameters
    ----------
    eval_metric : str, callable, list of these, or None
        None means the metric of the loss.
    loss : str
        Name of the loss.

    Returns
    -------
    list of Metric
        All of different names.

    Examples
    --------
    >>> [metric.name for metric in evaluation_metrics(None, "squared_error")]
    ['rmse']
    """
    if eval_metric is None:
        name = _core.metric_name(loss)
        return [_metric(name, loss)] if name else []
    given = list(eval_metric) if isinstance(eval_metric, (list, tuple)) else [eval_metric]
    metrics = [_metric(one, loss) for one in given]
    names = [metric.name for metric in metrics]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"eval_metric names {name!r} twice. Leave one out, or give the function another "
                "__name__."
            )
    return metrics


def _metric(given: object, loss: str) -> Metric:
    if isinstance(given, str):
        _core.check_metric(given, loss)
        return Metric(given, None, _core.higher_is_better(given))
    if not callable(given):
        raise TypeError(
            "eval_metric must be the name of a metric, a function metric(y_true, prediction), or a "
            f"list of these, got {given!r} ({type(given).__name__})."
        )
    name = getattr(given, "__name__", type(given).__name__)
    return Metric(str(name), given, bool(getattr(given, "greater_is_better", False)))


class EvaluationMetrics:
    """Measures all evaluation sets after a round.

    Parameters
    ----------
    metrics : list of Metric
        What to measure.
    sets : mapping of str to EvaluationSet
        Where to measure it.
    loss : str
        Name of the loss, whose link makes predictions of scores.
    """

    def __init__(self, metrics: list[Metric], sets: Mapping[str, EvaluationSet], loss: str) -> None:
        self._metrics = metrics
        self._sets = sets
        self._loss = loss
        if sets and not metrics:
            raise ValueError(
                "eval_sets need an eval_metric, got none: the list is empty, or the loss is a "
                "function, which has no metric of its own. Pass eval_metric=function or a name "
                "such as 'rmse'."
            )
        for name, data in sets.items():
            for metric in metrics:
                if metric.function and data.weight is not None and not metric.takes_weights:
                    raise ValueError(
                        f"eval set {name!r} has weights, but the metric {metric.name} has no "
                        "parameter sample_weight. Add one, or leave the weights out."
                    )

    @property
    def names_in_core(self) -> list[str]:
        """Names of the metrics that the core computes."""
        return [metric.name for metric in self._metrics if metric.function is None]

    @property
    def greater_is_better(self) -> dict[str, bool]:
        """Which way is up, for each metric."""
        return {metric.name: metric.greater_is_better for metric in self._metrics}

    def empty_history(self) -> dict[str, dict[str, list[float]]]:
        """Return ``{set: {metric: []}}``."""
        return {name: {metric.name: [] for metric in self._metrics} for name in self._sets}

    def values(self, trainer: _core.Trainer) -> list[float]:
        """Return the metrics of the first set, then those of the second, and so on.

        Parameters
        ----------
        trainer : _core.Trainer
            A trainer that was given the same sets, and the metrics that the core computes.

        Returns
        -------
        list of float
            In the order of ``empty_history``.
        """
        from_core: list[float] = trainer.metrics()
        if len(self.names_in_core) == len(self._metrics):
            return from_core
        ready = iter(from_core)
        values = []
        for index, data in enumerate(self._sets.values()):
            scores = trainer.evaluation_scores(index)
            if trainer.n_outputs > 1:
                scores = scores.reshape(trainer.n_outputs, -1).T
            prediction = _read_only(_core.apply_link(self._loss, scores))
            y, weight = _read_only(data.y), None if data.weight is None else _read_only(data.weight)
            for metric in self._metrics:
                if metric.function is None:
                    values.append(next(ready))
                else:
                    values.append(metric.measure(y, prediction, weight))
        return values


def _read_only(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view for the user's functions, which other metrics need unchanged."""
    view: npt.NDArray[Any] = values.view()
    view.flags.writeable = False
    return view
