"""The means of categories (docs/algorithm.md, section 1), row by row."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from .weighted import Array

SMOOTHING = 1.0


def random_order(weights: Array, seed: int) -> NDArray[np.int64]:
    """Return the rows of positive weight in the order in which they are seen."""
    counted = [row for row, weight in enumerate(weights) if weight > 0]
    return np.asarray(np.random.RandomState(seed).permutation(counted), dtype=np.int64)


def mean_of(rows: Sequence[int], y: Array, weights: Array) -> float:
    """Return the weighted mean, 0 of no rows."""
    total = math.fsum(weights[row] for row in rows)
    return math.fsum(weights[row] * y[row] for row in rows) / total if rows else 0.0


def smoothed(rows: Sequence[int], y: Array, weights: Array, prior: float) -> float:
    """Return the weighted mean of the rows and of some more that have the prior."""
    total = math.fsum(weights[row] for row in rows)
    return (math.fsum(weights[row] * y[row] for row in rows) + SMOOTHING * prior) / (
        total + SMOOTHING
    )


def earlier_means(values: Sequence[Hashable | None], y: Array, weights: Array, seed: int) -> Array:
    """Return the means of earlier rows; rows of weight 0 and missing values have NaN."""
    order = random_order(weights, seed).tolist()
    found = np.full(len(y), np.nan)
    for place, row in enumerate(order):
        prior = mean_of(order[:place] or order[1:], y, weights)
        same = [other for other in order[:place] if values[other] == values[row]]
        if values[row] is not None:
            found[row] = smoothed(same, y, weights, prior)
    return found


def predicted_mean(
    value: Hashable | None,
    values: Sequence[Hashable | None],
    y: Array,
    weights: Array,
    known: AbstractSet[Hashable],
) -> float:
    """Return what a row has that is to be predicted."""
    counted = [row for row, weight in enumerate(weights) if weight > 0]
    prior = mean_of(counted, y, weights)
    if value is None:
        return math.nan
    same = [row for row in counted if values[row] == value]
    return smoothed(same, y, weights, prior) if value in known else prior
