"""Whole trainings with the core's trainer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from plboost import _core


def train_rounds(
    data: _core.Dataset,
    options: _core.TrainingOptions,
    sets: Sequence[_core.EvaluationSet] = (),
    *,
    n_rounds: int,
    learning_rate: float = 0.1,
    n_threads: int = 1,
    on_round: Callable[[int, list[float]], None] | None = None,
) -> _core.Forest:
    """Train a forest; on_round is called after every round with its metrics."""
    with closing(_core.Trainer(data, options, list(sets), n_threads=n_threads)) as trainer:
        for index in range(n_rounds):
            trainer.round(learning_rate)
            if on_round is not None:
                on_round(index, trainer.metrics())
        return trainer.forest()


@dataclass(frozen=True)
class Trained:
    forest: _core.Forest
    # Before the first round and after each: what is confirmed of the slopes of each output.
    slopes: list[list[tuple[float, float]]]


def train_with_slopes(
    data: _core.Dataset, options: _core.TrainingOptions, *, n_rounds: int, learning_rate: float
) -> Trained:
    """Train a forest, keeping what each round's state says of slopes."""
    with closing(_core.Trainer(data, options, [], n_threads=1)) as trainer:
        slopes = [trainer.state()["slopes"]]
        for _ in range(n_rounds):
            trainer.round(learning_rate)
            slopes.append(trainer.state()["slopes"])
        return Trained(trainer.forest(), slopes)
