"""Imitate a program whose sums are off as float32 sums are, to test the verifier with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .linear import SEARCH, Column, Fit, Moments, Rows, fit, hessian_means
from .problem import Problem
from .weighted import Array


def noisy_moments(
    problem: Problem,
    columns: Sequence[Column],
    rows: Rows,
    around: Rows,
    amplitude: float,
    rng: np.random.Generator,
) -> Moments:
    """Sum about the mean of the rows `around`; each sum is off by a part of its terms' size."""
    k = len(columns)
    centres = hessian_means(columns, problem.h, around)
    g, h = problem.g[rows], problem.h[rows]
    t = np.array([c.values[rows] for c in columns]).reshape(k, len(rows)) - centres[:, None]

    def noise(size: Array) -> Array:
        moved: Array = amplitude * rng.uniform(-1, 1, size=size.shape) * size
        return moved

    gradient = g.sum() + float(noise(np.abs(g).sum(keepdims=True))[0])
    first = t @ h + noise(np.abs(t) @ h)
    squares = (t**2) @ h
    second = (t * h) @ t.T
    off = noise(np.sqrt(np.outer(squares, squares)))
    second = second + (off + off.T) / 2
    by_gradient = t @ g + noise(np.abs(t) @ np.abs(g))
    means = first / h.sum()
    return Moments(
        gradient=float(gradient),
        hessian=float(h.sum()),
        means=means + centres,
        second=second - h.sum() * np.outer(means, means),
        first=by_gradient - means * gradient,
        about_centre=squares,
        raw=squares + h.sum() * centres**2,
    )


def noisy_fit(amplitude: float, rng: np.random.Generator) -> Callable[..., Fit]:
    """Return a replacement of split.fit_for_search."""

    def fit_for_search(
        problem: Problem, columns: Sequence[Column], rows: Rows, node_rows: Rows
    ) -> Fit:
        sums = noisy_moments(problem, columns, rows, node_rows, amplitude, rng)
        return fit(sums, columns, problem.penalty, SEARCH)

    return fit_for_search
