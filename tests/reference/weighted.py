"""Weighted mean and standard deviation of numbers of any finite size."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def weighted_quantile(values: Array, weights: Array, level: float) -> float:
    """Return the smallest value with `level` of the weight up to it; the middle of a tie."""
    order = np.argsort(values, kind="stable")
    up_to = np.cumsum(weights[order])
    goal, rounding = level * up_to[-1], 1e-12 * up_to[-1]
    at = int(np.argmax(up_to >= goal - rounding))
    found = float(values[order[at]])
    if at + 1 == len(values) or abs(up_to[at] - goal) > rounding:
        return found
    return found + (float(values[order[at + 1]]) - found) / 2


def weighted_mean_std(values: Array, weights: Array) -> tuple[float, float]:
    """Return the weighted mean and standard deviation; (0, 0) when there are no values."""
    if values.size == 0:
        return 0.0, 0.0
    # Values may be as large as 2^1020 or as small as 1e-300: without the shift by a power of two,
    # which is exact, their sums and squares would overflow or vanish.
    exponent = math.frexp(float(np.max(np.abs(values))))[1]
    scaled = np.ldexp(values, -exponent)
    total = float(np.sum(weights))
    mean = float(np.sum(weights * scaled)) / total
    std = math.sqrt(float(np.sum(weights * (scaled - mean) ** 2)) / total)
    return math.ldexp(mean, exponent), math.ldexp(std, exponent)
