"""What goes left at a cut, and how close cuts lie (docs/algorithm.md, section 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .options import Options
from .weighted import Array

# What goes left: codes up to a number, or the codes of a set.
Cut = int | frozenset[int]


def goes_left(
    code: NDArray[np.int64], n_bins: int, threshold: Cut, missing_left: bool
) -> NDArray[np.bool_]:
    is_left = code <= threshold if isinstance(threshold, int) else np.isin(code, list(threshold))
    return np.where(code == n_bins, missing_left, is_left)


def joined_bins(options: Options, weights: Array, n_occupied: int) -> int:
    """Return how many neighbouring bins count as one."""
    most = 0.500005 * options.min_samples_leaf * n_occupied
    weight = np.sum(weights)
    return max(m for m in (1, 2, 4, 8) if m == 1 or m * weight <= most)
