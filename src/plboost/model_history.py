"""The curves and the best round in the header of a model file (docs/model-format.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost.errors import damaged_model_file

__all__ = ["History", "read_best_round", "read_history"]

History = dict[str, dict[str, list[float]]]


def read_best_round(header: Mapping[str, Any]) -> int | None:
    """Return how many rounds to predict with, or None for all."""
    best_round = header["best_round"]
    if best_round is None:
        return None
    n_rounds = header["n_trees"] // header["n_outputs"]
    if type(best_round) is not int or not 1 <= best_round <= n_rounds:
        damaged_model_file(f"best_round is {best_round!r}, the model has {n_rounds} rounds")
    return best_round


def read_history(header: Mapping[str, Any], values: npt.NDArray[np.float64]) -> History:
    """Cut the array of all curves into those that the header names."""
    labels = header["history"]
    n_rounds = header["n_trees"] // header["n_outputs"]
    if len(values) != len(labels) * n_rounds:
        damaged_model_file(
            f"the history has {len(values)} values for {len(labels)} curves of {n_rounds} rounds"
        )
    history: History = {}
    for index, label in enumerate(labels):
        if (
            not isinstance(label, list)
            or len(label) != 2
            or not all(isinstance(word, str) for word in label)
        ):
            damaged_model_file("a curve of the history must be named by a set and a metric")
        set_name, metric = label
        metrics = history.setdefault(set_name, {})
        if metric in metrics:
            damaged_model_file(f"the history has two curves {set_name!r}, {metric!r}")
        metrics[metric] = values[index * n_rounds : (index + 1) * n_rounds].tolist()
    return history
