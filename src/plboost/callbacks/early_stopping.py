"""The end of a training that no longer pays."""

from __future__ import annotations

import math
import warnings
from typing import Any

from plboost.callbacks.callback import Callback
from plboost.callbacks.training_state import TrainingState
from plboost.parameters import check_parameter, default_of

__all__ = ["EarlyStopping"]


class EarlyStopping(Callback):
    """Stops when a metric has not improved for a number of rounds, and keeps the best round.

    The model predicts with its rounds up to the best one unless told otherwise. NaN is never an
    improvement.

    Parameters
    ----------
    n_iter_no_change : int, default=10
        How many rounds to wait for an improvement.
    tol : float, default=0.0
        By how much a value must be better than the best so far to count as an improvement, in the
        units of the metric.
    set_name : str, optional
        The evaluation set that decides; by default the first.
    metric : str, optional
        The metric that decides; by default the first.

    Attributes
    ----------
    best_round : int or None
        Number of rounds of the best model, with those of a model that is continued; None while
        there is none.
    best_value : float or None
        Its metric.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> y = X[:, 0] + rng.normal(size=600)
    >>> booster = train(
    ...     {"n_estimators": 500, "learning_rate": 0.1},
    ...     Dataset(X[:400], y[:400]),
    ...     eval_sets={"valid": (X[400:], y[400:])},
    ...     callbacks=[EarlyStopping(5)],
    ... )
    >>> booster.best_round == int(np.argmin(booster.history["valid"]["rmse"])) + 1
    True
    >>> booster.n_rounds == booster.best_round + 5
    True
    """

    def __init__(
        self,
        n_iter_no_change: int = default_of("n_iter_no_change"),
        *,
        tol: float = default_of("tol"),
        set_name: str | None = None,
        metric: str | None = None,
    ) -> None:
        self.n_iter_no_change: int = check_parameter("n_iter_no_change", n_iter_no_change)
        self.tol: float = check_parameter("tol", tol)
        self.set_name = set_name
        self.metric = metric
        self.best_round: int | None = None
        self.best_value: float | None = None
        self._waited = 0

    def before_training(self, state: TrainingState) -> None:
        """Check that there is something to measure, and forget an earlier training.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        state.curve(self.set_name, self.metric)
        self.best_round = self.best_value = None
        self._waited = 0

    def before_round(self, state: TrainingState) -> None:
        """Stop again a training that is resumed after it had stopped.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        self._stop_when_due(state)

    def after_round(self, state: TrainingState) -> None:
        """Compare the round with the best one.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        curve = state.curve(self.set_name, self.metric)
        if self._is_better(curve.values[-1], greater_is_better=curve.greater_is_better):
            self.best_value = curve.values[-1]
            self.best_round = state.best_round = state.round + 1
            self._waited = 0
        else:
            self._waited += 1
        self._stop_when_due(state)

    def after_training(self, state: TrainingState) -> None:
        """Warn when no round could be compared.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        if self.best_round is None:
            curve = state.curve(self.set_name, self.metric)
            warnings.warn(
                f"early stopping found no best round: {curve.metric} of {curve.set_name} was NaN "
                "in every round. Check the metric and the evaluation set.",
                UserWarning,
                stacklevel=2,
            )

    def save_state(self) -> dict[str, Any]:
        """Return the best round and how long ago it was."""
        return {
            "best_round": self.best_round,
            "best_value": self.best_value,
            "waited": self._waited,
        }

    def load_state(self, saved: dict[str, Any]) -> None:
        """Go on from a checkpoint.

        Parameters
        ----------
        saved : dict
            What :meth:`save_state` returned.
        """
        self.best_round = saved["best_round"]
        self.best_value = saved["best_value"]
        self._waited = saved["waited"]

    def _is_better(self, value: float, *, greater_is_better: bool) -> bool:
        if math.isnan(value):
            return False
        if self.best_value is None:
            return True
        if greater_is_better:
            return value > self.best_value + self.tol
        return value < self.best_value - self.tol

    def _stop_when_due(self, state: TrainingState) -> None:
        if self._waited >= self.n_iter_no_change:
            state.stop(f"no improvement in {self._waited} rounds")
