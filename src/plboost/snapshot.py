"""All that a training needs to go on where it stood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost.booster import Booster
from plboost.errors import CheckpointError

__all__ = ["Snapshot", "check_same_training"]

_WORDS = {
    "data": "training data (or their order, weights, init_score, max_bins, category_means or "
    "random_state)",
    "eval_sets": "evaluation sets",
    "metrics": "metrics",
    "init_model": "model to continue",
    "callbacks": "callbacks",
    "plboost": "version of plboost",
}


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A training between two rounds.

    Parameters
    ----------
    booster : Booster
        The model so far, with the history and the best round.
    scores : ndarray of float64
        Scores of the training rows in the core's order, output after output.
    random : int
        State of the random numbers.
    tree_sizes : list of float
        How many leaves the next tree of each output may have.
    splits : list of pairs of float
        What rows have confirmed of the later splits of each output's trees that these do not know
        of.
    slopes : list of pairs of float
        What rows that were left out have confirmed of the slopes of each output's trees.
    unknown_slopes : list of pairs of float
        What rows have confirmed of these slopes that the trees do not know of.
    steps : list of pairs of float
        What rows have confirmed of each output's last trees that these do not know of.
    learning_rate : float
        As callbacks left it.
    callbacks : list of dict
        State of each callback.
    fingerprint : dict
        What the training is made of: another one must not go on from here.
    """

    booster: Booster
    scores: npt.NDArray[np.float64]
    random: int
    tree_sizes: list[float]
    splits: list[tuple[float, float]]
    slopes: list[tuple[float, float]]
    unknown_slopes: list[tuple[float, float]]
    steps: list[tuple[float, float]]
    learning_rate: float
    callbacks: list[dict[str, Any]]
    fingerprint: dict[str, Any]


def check_same_training(
    saved: Mapping[str, Any], present: Mapping[str, Any], *, source: str
) -> None:
    """Refuse to go on with another training.

    Parameters
    ----------
    saved : mapping
        Fingerprint of the training that was saved.
    present : mapping
        Fingerprint of the one that is to go on.
    source : str
        Where the saved one comes from, for the message.

    Raises
    ------
    CheckpointError
        Naming what differs.

    Examples
    --------
    >>> check_same_training({"parameters": {"l2": 1}}, {"parameters": {"l2": 2}}, source="a.ckpt")
    Traceback (most recent call last):
    ...
    plboost.errors.CheckpointError: 'a.ckpt' is the checkpoint of another training: l2 was 1, ...
    """
    differences = []
    for name, value in present.items():
        if saved.get(name) == value:
            continue
        if name == "parameters":
            old = saved.get(name, {})
            differences += [
                f"{key} was {old.get(key)!r}, now it is {value.get(key)!r}"
                for key in sorted({*old, *value})
                if old.get(key) != value.get(key)
            ]
        else:
            differences.append(f"it had other {_WORDS[name]}")
    if differences:
        raise CheckpointError(
            f"{source!r} is the checkpoint of another training: {'; '.join(differences)}. Use "
            "another path, or resume=False to start anew and replace it."
        )
