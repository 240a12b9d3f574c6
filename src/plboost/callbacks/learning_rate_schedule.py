"""A learning rate that changes from round to round."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plboost.callbacks.callback import Callback
from plboost.callbacks.training_state import TrainingState

__all__ = ["LearningRateSchedule"]


class LearningRateSchedule(Callback):
    """Sets the learning rate of every round.

    Parameters
    ----------
    schedule : callable or sequence of float
        ``schedule(round) -> learning rate``, with rounds counted from 0, or a rate for each round.
        The rounds of a model that is continued count too. Set ``learning_rate`` as well: with None
        steps become shorter or longer where rows say so, whatever their rate.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> X = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> slower = LearningRateSchedule(lambda round: 0.3 * 0.95**round)
    >>> booster = train({"n_estimators": 20}, Dataset(X, X[:, 0] ** 2), callbacks=[slower])
    """

    def __init__(self, schedule: Callable[[int], float] | Sequence[float]) -> None:
        if not callable(schedule) and (
            isinstance(schedule, str) or not hasattr(schedule, "__getitem__")
        ):
            raise TypeError(
                "schedule must be a function of the round or a sequence of rates, got "
                f"{type(schedule).__name__}. Pass for example lambda round: 0.3 * 0.99**round."
            )
        self.schedule = schedule

    def before_training(self, state: TrainingState) -> None:
        """Check that there is a rate for every round.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        if not callable(self.schedule) and len(self.schedule) < state.n_rounds:
            raise ValueError(
                f"schedule has {len(self.schedule)} learning rates for {state.n_rounds} rounds. "
                "Pass one for each round, or lower n_estimators."
            )

    def before_round(self, state: TrainingState) -> None:
        """Set the rate of the round.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        if callable(self.schedule):
            state.learning_rate = self.schedule(state.round)
        else:
            state.learning_rate = self.schedule[state.round]
