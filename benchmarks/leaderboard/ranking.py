"""From errors to ranks, relative errors and their uncertainty. Smaller errors are better.

Errors are an array over contestants, sets and seeds; a failed run is NaN. Imports numpy and scipy
only, so that it can be tested without the peers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

__all__ = [
    "Estimate",
    "estimate",
    "failure_of",
    "filled",
    "lead",
    "mean_errors",
    "ranks_by_set",
    "relative_errors",
]

Floats = npt.NDArray[np.float64]
CONFIDENCE = 0.95
EXPLODED = 2.0
"""Times the constant prediction's error: what is beyond it is a failure, and a failure counts so.

Overfitting alone may pass the constant prediction's log loss, so that limit would be too low.
"""


@dataclass(frozen=True)
class Estimate:
    """A mean over sets, its standard error, and the half width of its 95 % t interval.

    With a single set nothing is known of the spread: both are NaN.
    """

    mean: float
    error: float
    half_width: float


def estimate(values: Floats) -> Estimate:
    """Return the mean of one value per set with its uncertainty."""
    n = len(values)
    if n < 2:
        return Estimate(float(np.mean(values)), float("nan"), float("nan"))
    error = float(np.std(values, ddof=1) / np.sqrt(n))
    quantile = float(stats.t.ppf(0.5 + CONFIDENCE / 2, n - 1))
    return Estimate(float(np.mean(values)), error, quantile * error)


def ranks_by_set(errors: Floats) -> Floats:
    """Rank the contestants on every set and seed, then average over the seeds.

    Equal errors share the mean of their ranks; failed runs share the last ranks.
    """
    ranks = stats.rankdata(np.where(np.isnan(errors), np.inf, errors), axis=0)
    return np.asarray(ranks.mean(axis=2))


def filled(errors: Floats, baselines: Floats) -> Floats:
    """Let a failed run count as the limit of failure; baselines are over sets and seeds."""
    return np.where(np.isnan(errors), EXPLODED * baselines[None], errors)


def mean_errors(errors: Floats, baselines: Floats) -> Floats:
    """Return the mean error over the seeds, for contestants and sets."""
    return np.asarray(filled(errors, baselines).mean(axis=2))


def relative_errors(means: Floats, among: list[int] | None = None) -> Floats:
    """Divide by the best mean error on each set, of all contestants or of those ``among``."""
    best = (means if among is None else means[among]).min(axis=0)
    return np.asarray(means / best)


def lead(ranks: Floats) -> tuple[int, int, Estimate]:
    """Return the first, the second, and by how much the first's mean rank is ahead.

    The difference is taken set by set, so that its standard error is that of the difference.
    """
    first, second = (int(i) for i in np.argsort(ranks.mean(axis=1), kind="stable")[:2])
    return first, second, estimate(ranks[second] - ranks[first])


def failure_of(
    prediction: npt.NDArray[np.floating[Any]], metric: float, baseline: float
) -> str | None:
    """Say why a run counts as failed: no number, or far worse than the constant prediction."""
    n_bad = int(np.count_nonzero(~np.isfinite(prediction)))
    if n_bad:
        return f"{n_bad} of {prediction.size} predictions are not finite"
    if not np.isfinite(metric):
        return f"the test metric is {metric}"
    if metric > EXPLODED * baseline:
        return f"exploded: test metric {metric:.5g}, the constant prediction has {baseline:.5g}"
    return None
