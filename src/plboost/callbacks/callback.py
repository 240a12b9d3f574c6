"""What is called between rounds."""

from __future__ import annotations

from typing import Any

from plboost.callbacks.training_state import TrainingState

__all__ = ["Callback"]


class Callback:
    """Base class of callbacks: every method does nothing until a subclass overrides it.

    An exception raised in a method ends the training and reaches the caller of
    :func:`plboost.train` or ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> class StopAtSmallError(Callback):
    ...     def after_round(self, state):
    ...         if state.curve("valid", "rmse").values[-1] < 0.05:
    ...             state.stop("the error is small enough")
    >>> X = np.linspace(0, 1, 400).reshape(-1, 1)
    >>> y = X[:, 0] ** 2
    >>> booster = train(
    ...     {"n_estimators": 1000, "learning_rate": 0.1},
    ...     Dataset(X, y),
    ...     eval_sets={"valid": (X, y)},
    ...     callbacks=[StopAtSmallError()],
    ... )
    >>> booster.n_rounds < 100
    True
    """

    def before_training(self, state: TrainingState) -> None:
        """Prepare for a training, also for a second one.

        Parameters
        ----------
        state : TrainingState
            The training.
        """

    def before_round(self, state: TrainingState) -> None:
        """Act before the round ``state.round``: set its learning rate, or stop without it.

        Parameters
        ----------
        state : TrainingState
            The training.
        """

    def after_round(self, state: TrainingState) -> None:
        """Act after the round ``state.round``, whose metrics are in the history.

        Parameters
        ----------
        state : TrainingState
            The training.
        """

    def after_training(self, state: TrainingState) -> None:
        """Act after the last round, however it came to be the last; not after an exception.

        Parameters
        ----------
        state : TrainingState
            The training.
        """

    def save_state(self) -> dict[str, Any]:
        """Return what :meth:`load_state` needs to go on from here, for a checkpoint.

        Returns
        -------
        dict
            Of texts, numbers, booleans, None, lists and dicts.
        """
        return {}

    def load_state(self, saved: dict[str, Any]) -> None:
        """Go on from a checkpoint; called after :meth:`before_training`.

        Parameters
        ----------
        saved : dict
            What :meth:`save_state` returned.
        """
