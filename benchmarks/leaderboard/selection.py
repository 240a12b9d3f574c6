"""The choice on a validation part: which rows it has, which tree is best on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = ["VALIDATION_SHARE", "Better", "best_iteration", "is_better", "validation_rows"]

VALIDATION_SHARE = 0.2
Better = Literal["smaller", "larger"]


def validation_rows(n_rows: int, seed: int) -> npt.NDArray[np.bool_]:
    """Mark a random fifth of the rows, the same for every library."""
    held_out = np.zeros(n_rows, dtype=bool)
    # A stream of its own: the split into training and test part has drawn from the bare seed.
    order = np.random.default_rng([seed, 1]).permutation(n_rows)
    held_out[order[: round(VALIDATION_SHARE * n_rows)]] = True
    return held_out


def best_iteration(curve: Sequence[float], better: Better = "smaller") -> tuple[int, float]:
    """Return the number of trees with the best value, the first if several, and the value.

    What is not finite is never the best; if nothing is finite the value is NaN.
    """
    values = np.asarray(curve, np.float64)
    signed = values if better == "smaller" else -values
    signed = np.where(np.isfinite(signed), signed, np.inf)
    if np.isinf(signed).all():
        return 1, float("nan")
    best = int(np.argmin(signed))
    return best + 1, float(values[best])


def is_better(a: float, b: float, better: Better = "smaller") -> bool:
    """Whether a beats b; nothing is better than NaN, and NaN is better than nothing."""
    if np.isnan(a):
        return False
    return bool(np.isnan(b) or (a < b if better == "smaller" else a > b))
