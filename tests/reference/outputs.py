"""Losses of several outputs (docs/algorithm.md, section 2), one column each of scores, g and h."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .all_losses import CASES
from .losses import Float32, no_long_steps
from .problem import Renewal
from .weighted import Array


@dataclass(frozen=True)
class Outputs:
    """A loss together with the data that it is computed on."""

    initial_scores: Array
    gain_units: Array
    gradients: Callable[[Array], tuple[Float32, Float32]]
    link: Callable[[Array], Array]
    # Of a round that begins at these scores; None: always 1.
    adapted_units: Callable[[Array], Array] | None = None
    # What each output's leaves take their constants from; None: nothing.
    renewed: Callable[[Array], list[Renewal | None]] | None = None

    @property
    def n_outputs(self) -> int:
        return len(self.initial_scores)

    def units_at(self, scores: Array) -> Array:
        return np.ones(self.n_outputs) if self.adapted_units is None else self.adapted_units(scores)

    def renewals(self, scores: Array) -> list[Renewal | None]:
        return [None] * self.n_outputs if self.renewed is None else self.renewed(scores)


def outputs_of(loss: str, y: Array, w: Array) -> Outputs:
    """Choose the outputs of a loss for targets of shape (n,) or (n, columns)."""
    if loss == "log_loss" and y.max() > 1:
        return softmax_outputs(np.eye(int(y.max()) + 1)[y.astype(int)], w)
    if loss == "cross_entropy" and y.ndim == 2:
        return softmax_outputs(y, w)
    return column_outputs(loss, y.reshape(len(y), -1), w)


def column_outputs(loss: str, columns: Array, w: Array) -> Outputs:
    """Every column for itself."""
    functions = CASES[loss].loss

    def units_at(scores: Array) -> Array:
        pairs = zip(scores.T, columns.T, strict=True)
        return np.array([functions.unit_at(s, y, w) for s, y in pairs])

    def gradients(scores: Array) -> tuple[Float32, Float32]:
        pairs = [
            functions.gradients(s, y, w, unit)
            for s, y, unit in zip(scores.T, columns.T, units_at(scores), strict=True)
        ]
        return np.column_stack([g for g, _ in pairs]), np.column_stack([h for _, h in pairs])

    def renewed(scores: Array) -> list[Renewal | None]:
        made: list[Renewal | None] = []
        for s, y, unit in zip(scores.T, columns.T, units_at(scores), strict=True):
            if functions.renewal is None:
                made.append(None)
            else:
                level, weights = functions.renewal(y, w)
                made.append(Renewal(level, (y - s) / unit, weights))
        return made

    return Outputs(
        np.array([functions.initial_score(y, w) for y in columns.T]),
        np.array([functions.gain_unit(y, w) for y in columns.T]),
        gradients,
        functions.link,
        units_at,
        renewed,
    )


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    return shares


def shortened(values: Array) -> Array:
    """Round to 22 significant bits, by way of float32."""
    mantissas, exponents = np.frexp(values.astype(np.float32).astype(np.float64))
    rounded: Array = np.ldexp(np.round(mantissas * 2**22), exponents - 22)
    return rounded


def softmax_outputs(targets: Array, w: Array) -> Outputs:
    """Rows of class probabilities; a class is a row of zeros and a one."""
    n_outputs = targets.shape[1]
    priors = w @ targets / w.sum()

    def gradients(scores: Array) -> tuple[Float32, Float32]:
        p = softmax(scores)
        g = w[:, None] * shortened(p - targets)
        curvature = p * (1 - p) * n_outputs / (n_outputs - 1)
        h = w[:, None] * shortened(no_long_steps(curvature, p - targets))
        return g.astype(np.float32), h.astype(np.float32)

    return Outputs(np.log(priors / priors.sum()), np.ones(n_outputs), gradients, softmax)
