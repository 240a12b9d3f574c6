"""Small data sets for the tests of the reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .binning import Bins, encode, find_bins
from .losses import LOSSES
from .weighted import Array


@dataclass(frozen=True, eq=False)
class Table:
    """Binned rows and the gradients of the first round."""

    bins: list[Bins]
    codes: NDArray[np.int64]
    g: NDArray[np.float32]
    h: NDArray[np.float32]
    w: Array


def make_table(
    x: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None = None,
    loss: str = "squared_error",
    max_bins: int = 255,
) -> Table:
    raw, target = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    w = np.ones(len(target)) if weights is None else np.asarray(weights, dtype=np.float64)
    bins = [find_bins(column, w, max_bins) for column in raw.T]
    codes = np.column_stack([encode(c, b) for c, b in zip(raw.T, bins, strict=True)])
    functions = LOSSES[loss]
    scores = np.full(len(target), functions.initial_score(target, w))
    g, h = functions.gradients(scores, target, w, functions.unit(target, w))
    return Table(bins, codes, g, h, w)


def random_table(
    seed: int, n_rows: int = 60, n_features: int = 3, loss: str = "squared_error"
) -> Table:
    """Return rows with ties, missing values, weights, and (odd seeds) two nearly equal columns."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(n_rows, n_features)), 1)
    if seed % 2:
        x[:, -1] = x[:, 0] + 1e-3 * rng.normal(size=n_rows)
    y = 2 * x[:, 0] + np.abs(x[:, 1]) * x[:, -1] + 0.3 * rng.normal(size=n_rows)
    x[rng.random(size=x.shape) < 0.1] = np.nan
    if loss == "log_loss":
        y = (y > np.median(y)).astype(np.float64)
    weights = rng.integers(1, 4, size=n_rows).astype(np.float64)
    return make_table(x, y, weights, loss, max_bins=12)
