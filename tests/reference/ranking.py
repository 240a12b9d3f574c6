"""Losses and metrics of rankings, a pair or a place at a time."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def gain(grade: float) -> float:
    """Return what a document of this grade is worth."""
    return 2.0**grade - 1.0


def discount(rank: int) -> float:
    """Return the weight of a place, counted from 0."""
    return 1.0 / math.log2(rank + 2)


def ideal_dcg(grades: Floats, k: int) -> float:
    """Return the DCG of the best ranking."""
    best = sorted(grades, reverse=True)[:k]
    return sum(gain(grade) * discount(rank) for rank, grade in enumerate(best))


def lambdarank(grades: Floats, scores: Floats, truncation: int = 30) -> tuple[Floats, Floats]:
    """Return gradients and hessians of one query, not yet scaled by the mean length of queries."""
    n = len(grades)
    order = sorted(range(n), key=lambda i: (-scores[i], i))
    rank = {document: place for place, document in enumerate(order)}
    ideal = ideal_dcg(grades, truncation)
    g, h, total = np.zeros(n), np.zeros(n), 0.0
    for better in range(n):
        for worse in range(n):
            if grades[better] <= grades[worse] or min(rank[better], rank[worse]) >= truncation:
                continue
            swap = abs(discount(rank[better]) - discount(rank[worse]))
            weight = (gain(grades[better]) - gain(grades[worse])) * swap / ideal
            p = 1.0 / (1.0 + math.exp(scores[better] - scores[worse]))
            g[better] -= weight * p
            g[worse] += weight * p
            h[better] += weight * p * (1.0 - p)
            h[worse] += weight * p * (1.0 - p)
            total += 2.0 * weight * p
    norm = math.log2(1.0 + total) / total if total > 0.0 else 0.0
    return g * norm, h * norm


def listnet(grades: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Return gradients and hessians of one query, not yet scaled by the mean length of queries."""
    gains = np.array([gain(grade) for grade in grades])
    if gains.sum() == 0.0 or len(gains) < 2:
        return np.zeros(len(gains)), np.zeros(len(gains))
    odds = np.exp(scores - scores.max())
    p = odds / odds.sum()
    return p - gains / gains.sum(), p * (1.0 - p)


def gradients(
    loss: str,
    grades: Floats,
    scores: Floats,
    sizes: list[int],
    weights: Floats | None = None,
    truncation: int = 30,
) -> tuple[Floats, Floats]:
    """Return those of queries that follow one another."""
    parts = []
    start = 0
    for size in sizes:
        rows = slice(start, start + size)
        start += size
        if loss == "lambdarank":
            parts.append(lambdarank(grades[rows], scores[rows], truncation))
        else:
            parts.append(listnet(grades[rows], scores[rows]))
    factor = len(grades) / len(sizes) * (np.ones(len(grades)) if weights is None else weights)
    return (
        factor * np.concatenate([g for g, _ in parts]),
        factor * np.concatenate([h for _, h in parts]),
    )


def average_precision(grades: Floats, scores: Floats, k: int) -> float:
    """Return AP@k of one query; of equal scores the worse document comes first."""
    order = sorted(range(len(grades)), key=lambda i: (-scores[i], grades[i]))
    relevant = int((grades > 0).sum())
    if relevant == 0:
        return 0.0
    found, total = 0, 0.0
    for place, document in enumerate(order[:k]):
        if grades[document] > 0:
            found += 1
            total += found / (place + 1)
    return total / min(relevant, k)
