"""Losses of several outputs (docs/algorithm.md, section 2), one column each of scores, g and h."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .losses import LOSSES, Float32
from .weighted import Array


@dataclass(frozen=True)
class Outputs:
    """A loss together with the data that it is computed on."""

    initial_scores: Array
    units: Array
    gain_units: Array
    gradients: Callable[[Array], tuple[Float32, Float32]]
    link: Callable[[Array], Array]

    @property
    def n_outputs(self) -> int:
        return len(self.initial_scores)


def outputs_of(loss: str, y: Array, w: Array) -> Outputs:
    """Choose the outputs of a loss for targets of shape (n,) or (n, columns)."""
    if loss == "log_loss" and y.max() > 1:
        return softmax_outputs(np.eye(int(y.max()) + 1)[y.astype(int)], w)
    if loss == "cross_entropy" and y.ndim == 2:
        return softmax_outputs(y, w)
    return column_outputs(loss, y.reshape(len(y), -1), w)


def column_outputs(loss: str, columns: Array, w: Array) -> Outputs:
    """Every column for itself."""
    functions = LOSSES[loss]
    units = [functions.unit(y, w) for y in columns.T]

    def gradients(scores: Array) -> tuple[Float32, Float32]:
        pairs = [
            functions.gradients(s, y, w, unit)
            for s, y, unit in zip(scores.T, columns.T, units, strict=True)
        ]
        return np.column_stack([g for g, _ in pairs]), np.column_stack([h for _, h in pairs])

    return Outputs(
        np.array([functions.initial_score(y, w) for y in columns.T]),
        np.array(units),
        np.array([functions.gain_unit(y, w) for y in columns.T]),
        gradients,
        functions.link,
    )


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    return shares


def softmax_outputs(targets: Array, w: Array) -> Outputs:
    """Rows of class probabilities; a class is a row of zeros and a one."""
    n_outputs = targets.shape[1]
    priors = w @ targets / w.sum()

    def gradients(scores: Array) -> tuple[Float32, Float32]:
        p = softmax(scores)
        g = w[:, None] * (p - targets)
        h = w[:, None] * p * (1 - p) * n_outputs / (n_outputs - 1)
        return g.astype(np.float32), h.astype(np.float32)

    ones = np.ones(n_outputs)
    return Outputs(np.log(priors / priors.sum()), ones, ones, gradients, softmax)
