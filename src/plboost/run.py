"""A training under way: rounds, and what happens between them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from plboost import _core
from plboost.booster import Booster
from plboost.callbacks import Callback, Checkpoint, TrainingState
from plboost.custom_loss import CustomLoss
from plboost.dataset import Dataset
from plboost.evaluation import EvaluationSet
from plboost.init_model import check_continuation
from plboost.metrics import EvaluationMetrics
from plboost.model_history import History
from plboost.parameters import check_parameter
from plboost.progress import Progress
from plboost.snapshot import Snapshot, check_same_training
from plboost.versions import own_version

__all__ = ["Run", "check_callbacks"]


class Run:
    """Drives a trainer round by round and lets callbacks act in between.

    Parameters
    ----------
    trainer : _core.Trainer
        At its start, or at the end of the model that `dataset` continues.
    dataset : Dataset
        The training data.
    params : mapping
        Checked training parameters.
    chooses_rate : bool
        The learning rate is not the user's but follows from the data and the number of rounds.
    custom : CustomLoss or None
        The loss, if it is a function.
    sets : mapping of str to EvaluationSet
        The evaluation sets.
    metrics : EvaluationMetrics
        What to measure on them.
    callbacks : sequence of Callback
        Called in this order; a checkpoint is written after all have acted.
    """

    def __init__(
        self,
        trainer: _core.Trainer,
        dataset: Dataset,
        params: Mapping[str, Any],
        *,
        chooses_rate: bool,
        custom: CustomLoss | None,
        sets: Mapping[str, EvaluationSet],
        metrics: EvaluationMetrics,
        callbacks: Sequence[Callback],
    ) -> None:
        self._trainer = trainer
        self._dataset = dataset
        self._params = dict(params)
        self._chooses_rate = chooses_rate
        self._custom = custom
        self._sets = sets
        self._metrics = metrics
        self._checkpoint = next((c for c in callbacks if isinstance(c, Checkpoint)), None)
        self._callbacks = [c for c in callbacks if c is not self._checkpoint]
        self._n_done = 0
        n_rounds = self._params["n_estimators"]
        history = metrics.empty_history()
        if dataset.init_model is not None:
            self._n_done = dataset.init_model.n_rounds
            n_rounds += self._n_done
            history = _continued(history, dataset.init_model)
        self.state = TrainingState(
            params=self._params,
            n_rounds=n_rounds,
            history=history,
            greater_is_better=metrics.greater_is_better,
            make_booster=self.booster,
        )
        for callback in self._callbacks:
            callback.before_training(self.state)

    def execute(self, *, verbose: int) -> None:
        """Go on from the checkpoint, if there is one, and do the rounds that are left.

        Parameters
        ----------
        verbose : int
            0 for silence.
        """
        level = check_parameter("verbose", int(verbose) if isinstance(verbose, bool) else verbose)
        self._resume_checkpoint()
        state = self.state
        curves = [curve for metrics in state.history.values() for curve in metrics.values()]
        names = [
            f"{name} {metric}" for name, metrics in state.history.items() for metric in metrics
        ]
        progress = (
            Progress(state.n_rounds, names, verbose=level, first_round=self._n_done)
            if level
            else None
        )
        written = self._n_done
        try:
            while self._begin_round():
                if self._custom is not None:
                    self._custom.give_gradients(self._trainer)
                self._trainer.round(state.learning_rate)
                values = self._metrics.values(self._trainer)
                for curve, value in zip(curves, values, strict=True):
                    curve.append(value)
                self._n_done += 1
                if progress is not None:
                    progress.update(state.round, values)
                for callback in self._callbacks:
                    callback.after_round(state)
                if self._checkpoint is not None and self._n_done % self._checkpoint.every == 0:
                    self._checkpoint.write(self.snapshot())
                    written = self._n_done
        finally:
            if progress is not None:
                progress.close()
        if self._checkpoint is not None and written < self._n_done:
            self._checkpoint.write(self.snapshot())
        for callback in self._callbacks:
            callback.after_training(state)

    def booster(self) -> Booster:
        """Return the model of the rounds so far."""
        return Booster(
            self._trainer.forest(),
            feature_names=self._dataset.feature_names,
            categories=self._dataset._categories,
            history=self.state.history,
            best_round=self.state.best_round,
            parameters=self._params,
            created_by=f"plboost {own_version()}",
        )

    def snapshot(self) -> Snapshot:
        """Return all that is needed to go on from here."""
        state = self._trainer.state()
        return Snapshot(
            booster=self.booster(),
            scores=state["scores"],
            random=state["random"],
            tree_sizes=state["tree_sizes"],
            splits=state["splits"],
            slopes=state["slopes"],
            unknown_slopes=state["unknown_slopes"],
            steps=state["steps"],
            learning_rate=self.state.learning_rate,
            callbacks=[callback.save_state() for callback in self._callbacks],
            fingerprint=self.fingerprint,
        )

    def resume(self, snapshot: Snapshot) -> None:
        """Go on where another run on the same data stood.

        What callbacks knew, and the best round, is taken over if they and what they look at are
        the same.

        Parameters
        ----------
        snapshot : Snapshot
            Taken by the other run.
        """
        check_continuation(snapshot.booster, self._params, role="the model to go on with")
        self._trainer.restore(
            forest=snapshot.booster._forest,
            scores=snapshot.scores,
            random=snapshot.random,
            tree_sizes=snapshot.tree_sizes,
            splits=snapshot.splits,
            slopes=snapshot.slopes,
            unknown_slopes=snapshot.unknown_slopes,
            steps=snapshot.steps,
        )
        self._n_done = snapshot.booster.n_rounds
        self.state.round = self._n_done - 1
        continued = _continued(self._metrics.empty_history(), snapshot.booster)
        for name, curves in continued.items():
            for metric, values in curves.items():
                self.state.history[name][metric][:] = values
        own, other = self.fingerprint, snapshot.fingerprint
        rates = [each["parameters"]["learning_rate"] for each in (own, other)]
        if self._chooses_rate or rates[0] == rates[1]:
            # What was chosen for the first rounds holds for those that follow.
            self._params["learning_rate"] = snapshot.booster.parameters["learning_rate"]
            self.state.learning_rate = snapshot.learning_rate
        if all(own[name] == other[name] for name in ("callbacks", "eval_sets", "metrics")):
            self.state.best_round = snapshot.booster.best_round
            for callback, saved in zip(self._callbacks, snapshot.callbacks, strict=True):
                callback.load_state(saved)

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """What tells this training from others, but for its number of rounds."""
        init_model = self._dataset.init_model
        parameters = {k: v for k, v in self._params.items() if k != "n_estimators"}
        if self._chooses_rate:
            parameters["learning_rate"] = None
        if self._custom is not None:
            parameters["loss"] = f"function {self._custom.name}"
        parts = {
            "data": self._dataset.fingerprint(),
            "parameters": parameters,
            "eval_sets": [[name, data.fingerprint()] for name, data in self._sets.items()],
            "metrics": list(self._metrics.greater_is_better),
            "init_model": init_model and hashlib.sha256(init_model.to_bytes()).hexdigest(),
            "callbacks": [type(callback).__name__ for callback in self._callbacks],
            "plboost": own_version(),
        }
        # As a file gives it back, where a tuple is a list.
        as_stored: dict[str, Any] = json.loads(json.dumps(parts))
        return as_stored

    def _begin_round(self) -> bool:
        state = self.state
        if state.stop_reason is None and self._n_done < state.n_rounds:
            state.round = self._n_done
            for callback in self._callbacks:
                callback.before_round(state)
            if state.stop_reason is None:
                return True
        state.round = self._n_done - 1
        return False

    def _resume_checkpoint(self) -> None:
        checkpoint = self._checkpoint
        snapshot = None if checkpoint is None else checkpoint.read()
        if checkpoint is None or snapshot is None:
            return
        check_same_training(snapshot.fingerprint, self.fingerprint, source=checkpoint.path)
        if snapshot.booster.n_rounds > self.state.n_rounds:
            raise ValueError(
                f"the checkpoint {checkpoint.path!r} has {snapshot.booster.n_rounds} rounds, more "
                f"than the {self.state.n_rounds} that n_estimators asks for. Raise n_estimators, "
                "or use another path or resume=False."
            )
        if snapshot.booster.n_rounds > self._n_done:
            self.resume(snapshot)


def check_callbacks(callbacks: object) -> list[Callback]:
    """Check the argument ``callbacks``.

    Parameters
    ----------
    callbacks : sequence of Callback, or None
        What the user gave.

    Returns
    -------
    list of Callback
        In the same order.

    Examples
    --------
    >>> check_callbacks([print])
    Traceback (most recent call last):
    ...
    TypeError: callbacks[0] must be a plboost.callbacks.Callback, got builtin_function_or_method...
    """
    if callbacks is None:
        return []
    if not isinstance(callbacks, (list, tuple)):
        raise TypeError(
            f"callbacks must be a list of callbacks, got {type(callbacks).__name__}. "
            "Pass for example callbacks=[EarlyStopping(20)]."
        )
    for index, callback in enumerate(callbacks):
        if not isinstance(callback, Callback):
            raise TypeError(
                f"callbacks[{index}] must be a plboost.callbacks.Callback, got "
                f"{type(callback).__name__}. Derive a class from Callback and pass an object of it."
            )
    if sum(isinstance(callback, Checkpoint) for callback in callbacks) > 1:
        raise ValueError("callbacks has two checkpoints, one is allowed. Leave one out.")
    return list(callbacks)


def _continued(history: History, earlier: Booster) -> History:
    """Put the curves of the earlier rounds in front; NaN where there are none."""
    unknown = [float("nan")] * earlier.n_rounds
    return {
        name: {metric: [*earlier.history.get(name, {}).get(metric, unknown)] for metric in curves}
        for name, curves in history.items()
    }
