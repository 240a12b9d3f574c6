"""A smooth regression problem of any size: no split of a finite tree fits it exactly."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = ["synthetic"]

# Blocks bound the scratch memory, so that ten million rows need little more than their own space.
_BLOCK_ROWS = 1 << 18
_NOISE = 0.3


def synthetic(
    n_rows: int,
    n_features: int = 28,
    seed: int = 0,
    dtype: Literal["float32", "float64"] = "float32",
) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.float64]]:
    """Draw standard normal features and a target of lines, sines, products and noise.

    About half of the features matter; two of them take few values. The first rows are the same
    for every ``n_rows``.
    """
    if n_features < 10:
        raise ValueError(f"n_features must be at least 10, got {n_features}: ten make the target.")
    X = np.empty((n_rows, n_features), dtype=dtype)
    y = np.empty(n_rows)
    weights = np.random.default_rng([seed, 1]).normal(scale=0.2, size=n_features)
    weights[n_features // 2 :] = 0.0
    for number, begin in enumerate(range(0, n_rows, _BLOCK_ROWS)):
        rng = np.random.default_rng([seed, 2, number])
        block = slice(begin, min(begin + _BLOCK_ROWS, n_rows))
        x = rng.standard_normal((_BLOCK_ROWS, n_features), dtype=np.float32)
        noise = rng.standard_normal(_BLOCK_ROWS)
        x[:, 8] = np.round(2 * x[:, 8]) / 2
        x[:, 9] = x[:, 9] > 0.5
        x, noise = x[: block.stop - block.start], noise[: block.stop - block.start]
        X[block] = x
        y[block] = x @ weights + _smooth(x) + _NOISE * noise
    return X, y


def _smooth(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    c = [x[:, j].astype(np.float64) for j in range(10)]
    bend = np.sin(2 * c[0]) + c[1] * c[2] + 0.5 * c[3] ** 2 + np.abs(c[4])
    mixed = np.cos(c[5] + c[6]) * c[0] + np.where(c[7] > 0, c[1], -c[3])
    return bend + mixed + 0.5 * c[8] * c[9]
