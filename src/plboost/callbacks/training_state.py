"""A training on its way, as callbacks see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plboost.ingest.rounds import best_round_of
from plboost.parameters import check_parameter

if TYPE_CHECKING:
    from plboost.booster import Booster
    from plboost.model_history import History

__all__ = ["Curve", "TrainingState"]


@dataclass(frozen=True)
class Curve:
    """One metric of one evaluation set.

    Parameters
    ----------
    set_name : str
        Name of the evaluation set.
    metric : str
        Name of the metric.
    values : list of float
        One for each round so far.
    greater_is_better : bool
        Which way is up.
    """

    set_name: str
    metric: str
    values: list[float]
    greater_is_better: bool


class TrainingState:
    """What callbacks read and set.

    Parameters
    ----------
    params : mapping
        The checked training parameters.
    n_rounds : int
        The planned number of rounds, with those of a model that is continued.
    history : dict
        ``{set: {metric: [value of each round]}}``, which grows as the training goes on.
    greater_is_better : mapping of str to bool
        For each metric.
    make_booster : callable
        Makes the model of the rounds so far.

    Attributes
    ----------
    params : dict
        The training parameters.
    n_rounds : int
        The planned number of rounds, with those of a model that is continued.
    round : int
        Number of the present round, from 0; after it the model has ``round + 1`` of them.
    history : dict
        ``{set: {metric: [value of each round]}}``.
    stop_reason : str or None
        Why the training ends before `n_rounds`, once :meth:`stop` was called.
    """

    def __init__(
        self,
        *,
        params: Mapping[str, Any],
        n_rounds: int,
        history: History,
        greater_is_better: Mapping[str, bool],
        make_booster: Callable[[], Booster],
    ) -> None:
        self.params = dict(params)
        self.n_rounds = n_rounds
        self.round = 0
        self.history = history
        self._best_round: int | None = None
        self.stop_reason: str | None = None
        self._learning_rate: float = params["learning_rate"]
        self._greater_is_better = greater_is_better
        self._make_booster = make_booster

    @property
    def best_round(self) -> int | None:
        """How many rounds the model is to use when it predicts; None for all. May be set."""
        return self._best_round

    @best_round.setter
    def best_round(self, value: int | None) -> None:
        self._best_round = best_round_of(value, total=self.round + 1)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next round and those after it. May be set."""
        return self._learning_rate

    @learning_rate.setter
    def learning_rate(self, value: float) -> None:
        if value is None:
            raise TypeError("learning_rate must be a number > 0 between two rounds, got None.")
        self._learning_rate = check_parameter("learning_rate", value)

    def booster(self) -> Booster:
        """Return the model of the rounds so far; it costs a copy of the trees."""
        return self._make_booster()

    def stop(self, reason: str) -> None:
        """End the training: no further round is begun.

        Parameters
        ----------
        reason : str
            Why, for the record.
        """
        if self.stop_reason is None:
            self.stop_reason = str(reason)

    def curve(self, set_name: str | None = None, metric: str | None = None) -> Curve:
        """Find a curve of the history.

        Parameters
        ----------
        set_name : str, optional
            An evaluation set; by default the first.
        metric : str, optional
            A metric; by default the first.

        Returns
        -------
        Curve
            Its values grow as the training goes on.

        Raises
        ------
        ValueError
            When there is no such set or metric.
        """
        if not self.history:
            raise ValueError(
                "there is no evaluation set to measure the model on. Pass eval_sets to train() or "
                "eval_set to fit()."
            )
        chosen = next(iter(self.history)) if set_name is None else set_name
        if chosen not in self.history:
            raise ValueError(
                f"set_name must be one of the evaluation sets {list(self.history)}, got {chosen!r}."
            )
        curves = self.history[chosen]
        name = next(iter(curves)) if metric is None else metric
        if name not in curves:
            raise ValueError(
                f"metric must be one of the computed metrics {list(curves)}, got {name!r}. "
                "Name it in eval_metric to have it computed."
            )
        return Curve(chosen, name, curves[name], self._greater_is_better[name])
