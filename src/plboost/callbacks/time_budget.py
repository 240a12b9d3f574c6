"""A limit on the time of a training."""

from __future__ import annotations

import time
from typing import Any

from plboost.callbacks.callback import Callback
from plboost.callbacks.training_state import TrainingState
from plboost.parameter_rules import Real
from plboost.parameters import Parameter

__all__ = ["TimeBudget"]

_SECONDS = Parameter(
    "seconds",
    None,
    Real(0.0, includes_minimum=False),
    "Leave the callback out for no limit.",
)


class TimeBudget(Callback):
    """Stops after the round in which the time is used up.

    Parameters
    ----------
    seconds : float
        How long rounds may be begun, at least one. Time before a resumed checkpoint counts.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> X = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> budget = TimeBudget(60)
    >>> booster = train({"n_estimators": 20}, Dataset(X, X[:, 0] ** 2), callbacks=[budget])
    >>> booster.n_rounds
    20
    """

    def __init__(self, seconds: float) -> None:
        self.seconds: float = _SECONDS.check(seconds)
        self._start = time.monotonic()

    def before_training(self, state: TrainingState) -> None:  # noqa: ARG002
        """Start the clock.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        self._start = time.monotonic()

    def before_round(self, state: TrainingState) -> None:
        """Stop a resumed training whose time is used up.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        # The clock may tick coarsely: a first round is always begun.
        if state.round > 0:
            self._stop_when_due(state)

    def after_round(self, state: TrainingState) -> None:
        """Look at the clock.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        self._stop_when_due(state)

    def save_state(self) -> dict[str, Any]:
        """Return the time that was used."""
        return {"elapsed": time.monotonic() - self._start}

    def load_state(self, saved: dict[str, Any]) -> None:
        """Count the time before the checkpoint.

        Parameters
        ----------
        saved : dict
            What :meth:`save_state` returned.
        """
        self._start = time.monotonic() - saved["elapsed"]

    def _stop_when_due(self, state: TrainingState) -> None:
        if time.monotonic() - self._start >= self.seconds:
            state.stop(f"the {self.seconds:g} seconds are used up")
