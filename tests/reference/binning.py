"""Values to bins, bin means and codes (docs/algorithm.md, section 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .weighted import Array, weighted_mean_std

LARGEST_VALUE = 2.0**1020


@dataclass(frozen=True, eq=False)
class Bins:
    """What one feature looks like after binning."""

    edges: Array  # [n_bins - 1]; x <= edges[t] is code <= t
    means: Array  # [n_bins]
    mu: float
    sigma: float
    u: Array  # [n_bins + 1], float32 values; the last one belongs to missing values and is 0
    n_bins: int
    has_missing: bool
    usable: bool
    can_regress: bool
    low: float  # smallest and largest finite value, 0 where there is none
    high: float
    categorical: bool = False


def find_bins(values: ArrayLike, weights: ArrayLike, max_bins: int) -> Bins:
    """Bin one feature; rows of weight 0 take no part."""
    all_weights = np.asarray(weights, dtype=np.float64)
    x = np.asarray(values, dtype=np.float64)[all_weights > 0]
    w = all_weights[all_weights > 0]
    has_missing = bool(np.any(np.isnan(x)))
    finite = np.isfinite(x)
    v = np.clip(x[finite], -LARGEST_VALUE, LARGEST_VALUE)
    c = w[finite]

    distinct = np.unique(v)
    counts = np.array([np.sum(c[v == value]) for value in distinct])
    last_of_bin = _cut(counts, max_bins)
    edges = np.array([_edge(distinct[k], distinct[k + 1]) for k in last_of_bin])
    n_bins = len(edges) + 1 if distinct.size else 0

    code = np.searchsorted(edges, v, side="left")
    means = np.array([weighted_mean_std(v[code == b], c[code == b])[0] for b in range(n_bins)])
    bin_weights = np.array([np.sum(c[code == b]) for b in range(n_bins)])
    mu, sigma = weighted_mean_std(means, bin_weights)
    if n_bins < 2 or sigma < np.finfo(np.float64).tiny:
        sigma = 1.0
    u = np.append((means - mu) / sigma, 0.0).astype(np.float32).astype(np.float64)
    return Bins(
        edges=edges,
        means=means,
        mu=mu,
        sigma=sigma,
        u=u,
        n_bins=n_bins,
        has_missing=has_missing,
        usable=n_bins >= 2 or (n_bins == 1 and has_missing),
        can_regress=n_bins >= 2,
        low=float(distinct[0]) if distinct.size else 0.0,
        high=float(distinct[-1]) if distinct.size else 0.0,
    )


def encode(values: ArrayLike, bins: Bins) -> NDArray[np.int64]:
    """Return the code of every value: the number of edges below it, n_bins where it is missing."""
    x = np.asarray(values, dtype=np.float64)
    if bins.categorical:
        known = (x >= 0) & (x < bins.n_bins)
        return np.where(known, x, bins.n_bins).astype(np.int64)
    codes = np.array([np.sum(bins.edges < value) for value in x], dtype=np.int64)
    codes[np.isnan(x)] = bins.n_bins
    return codes


def _cut(counts: Array, max_bins: int) -> list[int]:
    """Return the indices of the distinct values behind which a bin is closed."""
    n_values = len(counts)
    if n_values <= max_bins:
        return list(range(n_values - 1))
    frequent = counts >= np.sum(counts) / max_bins
    rest_weight = float(np.sum(counts[~frequent]))
    rest_bins = max_bins - int(np.sum(frequent))
    target = rest_weight / rest_bins if rest_bins > 0 else np.inf
    current = 0.0
    closed: list[int] = []
    for k in range(n_values - 1):
        current += counts[k]
        if not frequent[k]:
            rest_weight -= counts[k]
        if frequent[k] or current >= target or (frequent[k + 1] and current >= target / 2):
            closed.append(k)
            current = 0.0
            if not frequent[k]:
                rest_bins -= 1
                target = rest_weight / rest_bins if rest_bins > 0 else np.inf
            if len(closed) == max_bins - 1:
                break
    return closed


def _edge(low: float, high: float) -> float:
    middle = low + (high - low) / 2
    return low if middle >= high else middle
