"""The end of an Optuna trial that is not worth its time."""

from __future__ import annotations

from typing import Any

from plboost.callbacks.callback import Callback
from plboost.callbacks.training_state import TrainingState
from plboost.extras import require

__all__ = ["OptunaPruning"]


class OptunaPruning(Callback):
    """Reports a metric to an Optuna trial after every round, and lets Optuna prune the trial.

    Parameters
    ----------
    trial : optuna.trial.Trial
        The trial of the objective function.
    set_name : str, optional
        The evaluation set to report; by default the first.
    metric : str, optional
        The metric to report; by default the first.

    Raises
    ------
    MissingDependencyError
        When optuna is not installed.

    Notes
    -----
    A pruned trial raises ``optuna.TrialPruned``, which the objective function must let pass::

        def objective(trial):
            model = PLBoostRegressor(max_leaves=trial.suggest_int("max_leaves", 4, 64))
            model.fit(X, y, eval_set=(X_valid, y_valid), callbacks=[OptunaPruning(trial)])
            return min(model.evals_result_["eval_0"]["rmse"])
    """

    def __init__(
        self, trial: Any, *, set_name: str | None = None, metric: str | None = None
    ) -> None:
        self._optuna = require("optuna", purpose="OptunaPruning", install="optuna")
        self.trial = trial
        self.set_name = set_name
        self.metric = metric

    def before_training(self, state: TrainingState) -> None:
        """Check that the study and the metric mean the same by "better".

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        curve = state.curve(self.set_name, self.metric)
        direction = getattr(getattr(self.trial, "study", None), "direction", None)
        wanted = "MAXIMIZE" if curve.greater_is_better else "MINIMIZE"
        if direction is not None and direction.name != wanted:
            raise ValueError(
                f"the study has the direction {direction.name.lower()!r}, but {curve.metric} is to "
                f"be {wanted.lower()}d. Create the study with direction={wanted.lower()!r}, or "
                "report another metric."
            )

    def after_round(self, state: TrainingState) -> None:
        """Report the metric, and end the trial if Optuna says so.

        Parameters
        ----------
        state : TrainingState
            The training.
        """
        curve = state.curve(self.set_name, self.metric)
        self.trial.report(curve.values[-1], step=state.round + 1)
        if self.trial.should_prune():
            raise self._optuna.TrialPruned(
                f"pruned after round {state.round + 1}: {curve.metric} of {curve.set_name} is "
                f"{curve.values[-1]:.6g}"
            )
