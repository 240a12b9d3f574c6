"""Rounds and metrics for Python's logging."""

from __future__ import annotations

import logging

from plboost.callbacks.callback import Callback
from plboost.callbacks.training_state import TrainingState
from plboost.parameter_rules import Integer
from plboost.parameters import Parameter

__all__ = ["RoundLog"]

_EVERY = Parameter("every", 1, Integer(1), "Use 1 for every round.")


class RoundLog(Callback):
    """Writes a line to a logger every so many rounds, and one at the end.

    Parameters
    ----------
    every : int, default=1
        Number of rounds between two lines.
    logger : logging.Logger, optional
        Where to write, at level INFO; by default the logger "plboost".

    Examples
    --------
    >>> import logging, sys
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> logger = logging.getLogger("example")
    >>> logger.addHandler(logging.StreamHandler(sys.stdout))
    >>> logger.setLevel(logging.INFO)
    >>> X = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> dataset = Dataset(X, X[:, 0] ** 2)
    >>> booster = train({"n_estimators": 4}, dataset, callbacks=[RoundLog(2, logger=logger)])
    round 2/4
    round 4/4
    training ended after 4 rounds
    """

    def __init__(self, every: int = 1, *, logger: logging.Logger | None = None) -> None:
        self.every = _EVERY.check(every)
        self.logger = logging.getLogger("plboost") if logger is None else logger

    def after_round(self, state: TrainingState) -> None:
        """Write the metrics of the round.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        done = state.round + 1
        if done % self.every and done != state.n_rounds:
            return
        parts = [f"round {done}/{state.n_rounds}"]
        for set_name, curves in state.history.items():
            parts += [f"{set_name} {name} {values[-1]:.6g}" for name, values in curves.items()]
        self.logger.info("  ".join(parts))

    def after_training(self, state: TrainingState) -> None:
        """Write how the training ended.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        reason = "" if state.stop_reason is None else f": {state.stop_reason}"
        best = "" if state.best_round is None else f", the best after {state.best_round}"
        self.logger.info("training ended after %d rounds%s%s", state.round + 1, best, reason)
