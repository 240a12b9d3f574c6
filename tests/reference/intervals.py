"""Intervals from quantiles and calibration rows, one row at a time."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

LEVELS = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)
SCORES = [NormalDist().inv_cdf(level) for level in LEVELS]


def least_pace(quantiles: Array) -> float:
    """Return 0.3 times the mean slope of the rows that the quantiles were trained on."""
    slopes = [(row[-1] - row[0]) / (SCORES[-1] - SCORES[0]) for row in quantiles]
    return float(0.3 * sum(slopes) / len(slopes))


def band(quantiles: Array, reach: float, least: float) -> tuple[float, float]:
    """Return the ends of one row's band: its quantiles, drawn over their normal scores."""
    pace = max((quantiles[-1] - quantiles[0]) / (SCORES[-1] - SCORES[0]), least)
    beyond = pace * max(reach - SCORES[-1], 0.0)
    lower, upper = (float(np.interp(z, SCORES, quantiles)) for z in (-reach, reach))
    return lower - beyond, upper + beyond


def reach(quantiles: Array, y: float, least: float) -> float:
    """Return the smallest reach of which the band holds y, by bisection."""
    low, high = 0.0, 1.0
    while not _holds(band(quantiles, high, least), y):
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if _holds(band(quantiles, middle, least), y) else (middle, high)
    return high


def needed_reach(reaches: Any, weights: Any, coverage: float) -> float:
    """Return the reach up to which rows weigh enough, one of mean weight lying at infinity."""
    rows = sorted(zip(reaches, weights, strict=True))
    total = sum(weights) + sum(weights) / len(rows)
    sum_so_far = 0.0
    for distance, weight in rows:
        sum_so_far += weight
        if sum_so_far / total > coverage - 1e-9:
            return float(distance)
    return math.inf


def _holds(ends: tuple[float, float], y: float) -> bool:
    return ends[0] <= y <= ends[1]
