"""Losses that grow no faster than residuals (docs/algorithm.md, section 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .losses import Float32, Loss, _identity, _one
from .weighted import Array, weighted_quantile

SCALE_ROWS = 8192
Weighing = Callable[[Array, Array], Array]


def residual_scale(residuals: Array, w: Array, level: float) -> float:
    """Return how large the residuals are that are not 0."""
    sizes, weights = np.abs(residuals[:SCALE_ROWS]), w[:SCALE_ROWS]
    wild = min(len(sizes) - 1, max(1, len(sizes) // 100))
    counted = sizes > 1e-12 * np.sort(sizes)[len(sizes) - 1 - wild]
    if not counted.any():
        return 1.0
    return max(weighted_quantile(sizes[counted], weights[counted], level), 1e-290)


def own_weight(_y: Array, w: Array) -> Array:
    return w


def relative_weight(y: Array, w: Array) -> Array:
    """Return w / |y|, scaled to the sum of w."""
    relative = w / np.abs(y)
    return relative * (np.sum(w) / np.sum(relative))


def pinball(name: str, level: float, weigh: Weighing = own_weight) -> Loss:
    def parts(scores: Array, y: Array, weights: Array) -> tuple[Array, Array]:
        """Return w * slope on either side, and the size of the residuals, not below the band."""
        residuals = y - scores
        band = residual_scale(residuals, weights, min(level, 1 - level))
        slopes = np.where(residuals > 0, level, 1 - level)
        return weights * slopes, np.maximum(np.abs(residuals), band)

    def unit(scores: Array, y: Array, w: Array) -> float:
        weights = weigh(y, w)
        pulls, sizes = parts(scores, y, weights)
        curvature = pulls[:SCALE_ROWS] / sizes[:SCALE_ROWS]
        return float(np.sum(weights[:SCALE_ROWS]) / np.sum(curvature))

    def gradients(scores: Array, y: Array, w: Array, unit: float) -> tuple[Float32, Float32]:
        pulls, sizes = parts(scores, y, weigh(y, w))
        g = pulls * (scores - y) / sizes
        return g.astype(np.float32), (pulls * unit / sizes).astype(np.float32)

    return Loss(
        name=name,
        initial_score=lambda y, w: weighted_quantile(y, weigh(y, w), level),
        unit=_one,
        gain_unit=_one,
        gradients=gradients,
        link=_identity,
        adapted_unit=unit,
        renewal=lambda y, w: (level, weigh(y, w)),
        observed=True,
    )


def huber(alpha: float) -> Loss:
    def limit(scores: Array, y: Array, w: Array) -> float:
        return residual_scale(y - scores, w, alpha)

    def initial_score(y: Array, w: Array) -> float:
        median = weighted_quantile(y, w, 0.5)
        far = limit(np.full(len(y), median), y, w)
        return median + float(np.sum(w * np.clip(y - median, -far, far)) / np.sum(w))

    def gradients(scores: Array, y: Array, w: Array, unit: float) -> tuple[Float32, Float32]:
        g = w * np.clip((scores - y) / unit, -1.0, 1.0)
        return g.astype(np.float32), w.astype(np.float32)

    return Loss(
        name="huber",
        initial_score=initial_score,
        unit=_one,
        gain_unit=_one,
        gradients=gradients,
        link=_identity,
        adapted_unit=limit,
    )
