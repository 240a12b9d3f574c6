"""Losses: initial score, unit, gradients and link (docs/algorithm.md, section 2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .weighted import Array, weighted_mean_std

Float32 = NDArray[np.float32]


@dataclass(frozen=True)
class Loss:
    """One loss; every function takes the target and the weights as float64."""

    name: str
    initial_score: Callable[[Array, Array], float]
    unit: Callable[[Array, Array], float]
    # What a user's min_gain of 1 is in the units of a tree.
    gain_unit: Callable[[Array, Array], float]
    gradients: Callable[[Array, Array, Array, float], tuple[Float32, Float32]]
    link: Callable[[Array], Array]
    # The unit of a round at these scores (scores, y, w), where it is not always the same.
    adapted_unit: Callable[[Array, Array, Array], float] | None = None
    # Level and weights (y, w) of the quantile that is to be a leaf's constant.
    renewal: Callable[[Array, Array], tuple[float, Array]] | None = None
    # Whether hessians depend on the targets.
    observed: bool = False

    def unit_at(self, scores: Array, y: Array, w: Array) -> float:
        if self.adapted_unit is None:
            return self.unit(y, w)
        return self.adapted_unit(scores, y, w)


def _mean(y: Array, w: Array) -> float:
    return weighted_mean_std(y, w)[0]


def _power_of_two_near_std(y: Array, w: Array) -> float:
    std = weighted_mean_std(y, w)[1]
    if std == 0.0:
        return 1.0
    # Half away from zero, as C's round(): the targets 4, 8, 12, 16, 20 have log2(std) = 2.5.
    log2 = math.log2(std)
    return 2.0 ** int(math.copysign(math.floor(abs(log2) + 0.5), log2))


def _variance_in_units(y: Array, w: Array) -> float:
    return (weighted_mean_std(y, w)[1] / _power_of_two_near_std(y, w)) ** 2


def _squared_error_gradients(
    scores: Array, y: Array, w: Array, unit: float
) -> tuple[Float32, Float32]:
    return (w * (scores - y) / unit).astype(np.float32), w.astype(np.float32)


def _log_odds(y: Array, w: Array) -> float:
    p = _mean(y, w)
    if not 0.0 < p < 1.0:
        raise ValueError(f"y must hold both 0 and 1, got a mean of {p}: the log-odds are infinite.")
    return math.log(p / (1.0 - p))


def _sigmoid(scores: Array) -> Array:
    # Both branches only ever exponentiate a number <= 0, which cannot overflow.
    small = np.exp(-np.abs(scores))
    return np.where(scores >= 0, 1.0 / (1.0 + small), small / (1.0 + small))


def no_long_steps(h: Array, g: Array) -> Array:
    """Raise the hessians of rows that would ask for a step of more than 8 in log-odds."""
    return np.maximum(h, np.abs(g) / 8.0)


def _log_loss_gradients(scores: Array, y: Array, w: Array, unit: float) -> tuple[Float32, Float32]:
    p = _sigmoid(scores)
    h = no_long_steps(p * (1.0 - p), p - y)
    return (w * (p - y) / unit).astype(np.float32), (w * h).astype(np.float32)


def _one(_y: Array, _w: Array) -> float:
    return 1.0


def _identity(scores: Array) -> Array:
    return scores


squared_error = Loss(
    name="squared_error",
    initial_score=_mean,
    unit=_power_of_two_near_std,
    gain_unit=_variance_in_units,
    gradients=_squared_error_gradients,
    link=_identity,
)
log_loss = Loss(
    name="log_loss",
    initial_score=_log_odds,
    unit=_one,
    gain_unit=_one,
    gradients=_log_loss_gradients,
    link=_sigmoid,
)
# The same of targets anywhere between 0 and 1.
cross_entropy = replace(log_loss, name="cross_entropy")
LOSSES = {loss.name: loss for loss in (squared_error, log_loss, cross_entropy)}
