"""Categorical features: bins, order, cuts (docs/algorithm.md, sections 1 and 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .binning import Bins
from .linear import Column, Fit, Rows, hessian_means
from .options import Options
from .weighted import Array

# What float32 sums may change in a ratio, relative to the sizes of its terms.
RATIO_NOISE = 1e-4


def category_bins(values: ArrayLike, weights: ArrayLike, n_categories: int) -> Bins:
    """Return the bins of codes 0 .. n_categories - 1: one for each."""
    x = np.asarray(values, dtype=np.float64)[np.asarray(weights, dtype=np.float64) > 0]
    has_missing = bool(np.any(np.isnan(x)))
    return Bins(
        edges=np.arange(0.5, n_categories - 1),
        means=np.arange(n_categories, dtype=np.float64),
        mu=0.0,
        sigma=1.0,
        u=np.zeros(n_categories + 1),
        n_bins=n_categories,
        has_missing=has_missing,
        usable=n_categories >= 2 or (n_categories == 1 and has_missing),
        can_regress=False,
        low=0.0,
        high=float(max(n_categories - 1, 0)),
        categorical=True,
    )


@dataclass(frozen=True, eq=False)
class Order:
    """The categories of a node that weigh enough, by their ratios."""

    codes: list[int]
    ratios: Array
    errors: Array  # what rounding may change in the ratios
    rest: Rows  # rows that are missing or of other categories

    def left_codes(self, n_left: int, missing_left: bool, n_bins: int) -> frozenset[int]:
        """Return what goes left: the first categories, with the missing ones all others."""
        others = set(range(n_bins)) - set(self.codes) if missing_left else set()
        return frozenset(self.codes[:n_left]) | others


def category_order(
    codes: NDArray[np.int64],
    g: Array,
    h: Array,
    w: Array,
    rows: Rows,
    columns: list[Column],
    node: Fit,
    n_bins: int,
    options: Options,
) -> Order:
    """Put the categories of a node in order; `codes` are those of all rows of the data set."""
    total = float(np.sum(h[rows]))
    weight = float(np.sum(w[rows]))
    if total <= 0.0 or weight <= 0.0:
        return Order([], np.empty(0), np.empty(0), rows)
    means = hessian_means(columns, h, rows)
    f = np.full(len(g), -float(np.sum(g[rows])) / total)
    for column, slope, mean in zip(columns, node.slopes, means, strict=True):
        f = f + slope * (column.values - mean)
    residual = g + h * f
    smoothing = options.category_smoothing * total / weight
    found: list[tuple[float, int, float]] = []
    rest = codes[rows] == n_bins
    for code in range(n_bins):
        own = rows[codes[rows] == code]
        size = float(np.sum(h[own])) + smoothing
        if len(own) == 0:
            continue
        if np.sum(w[own]) < options.min_samples_category or not size > 0.0:
            rest |= codes[rows] == code
            continue
        terms = float(np.sum(np.abs(g[own]) + h[own] * np.abs(f[own])))
        found.append((float(np.sum(residual[own])) / size, code, RATIO_NOISE * terms / size))
    found.sort()
    return Order(
        [code for _, code, _ in found],
        np.array([ratio for ratio, _, _ in found]),
        np.array([error for _, _, error in found]),
        rows[rest],
    )


def category_cuts(
    order: Order, w: Array, rows: Rows, codes: NDArray[np.int64], n_bins: int
) -> Iterator[tuple[frozenset[int], bool, bool]]:
    """Yield (codes left, missing left, sure) in the order in which equals are preferred.

    A cut between two categories whose ratios may change places by rounding is not sure.
    """
    n = len(order.codes)
    for n_left in range(1, n):
        sure = bool(
            np.max((order.ratios + order.errors)[:n_left])
            < np.min((order.ratios - order.errors)[n_left:])
        )
        if len(order.rest):
            yield order.left_codes(n_left, False, n_bins), False, sure
            yield order.left_codes(n_left, True, n_bins), True, sure
        else:
            left = np.isin(codes[rows], order.codes[:n_left])
            heavier = bool(np.sum(w[rows][left]) >= np.sum(w[rows][~left]))
            yield order.left_codes(n_left, heavier, n_bins), heavier, sure
    if len(order.rest) and n:
        yield order.left_codes(n, False, n_bins), False, True


def order_complaint(order: Order, left: frozenset[int], missing_left: bool) -> str | None:
    """Return what is wrong with a set of codes as a cut of the order."""
    is_left = np.array([code in left for code in order.codes], dtype=bool)
    others = left - set(order.codes)
    if others and not missing_left:
        return f"the codes {sorted(others)} weigh too little but go left without the missing ones"
    if is_left.any() and not is_left.all():
        low = np.max((order.ratios - order.errors)[is_left])
        high = np.min((order.ratios + order.errors)[~is_left])
        if low > high:
            return f"the codes {sorted(left)} are no beginning of the order {order.codes}"
    return None
