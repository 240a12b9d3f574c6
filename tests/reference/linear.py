"""Fitting the linear model of a set of rows (docs/algorithm.md, section 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .weighted import Array

Rows = NDArray[np.int64]

# A column that is constant in exact arithmetic keeps a moment of about 1e-32 in float64, because
# its mean is rounded. Distinct float32 values keep far more than this.
ROUNDED_TO_ZERO = 1e-26


@dataclass(frozen=True, eq=False)
class Column:
    """One column t_j, over all rows of the data set."""

    values: Array
    ridge: float  # what l2_slopes s_j^2 is multiplied by
    origin: float  # o_j - tbar_j, for the penalty "paper"
    fixed: bool = False  # the slope is 1 and not fitted


@dataclass(frozen=True)
class Penalty:
    kind: str  # "centred" or "paper"
    l2: float
    l2_slopes: float


@dataclass(frozen=True)
class Dropping:
    """When a column is dropped."""

    moment: float  # C_jj <= moment * sum h (t_j - centre_j)^2
    pivot: float  # pivot_j <= pivot * (C_jj + its own penalty)


SEARCH = Dropping(moment=1e-6, pivot=1e-6)
LEAF = Dropping(moment=0.0, pivot=1e-9)


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over a set of rows."""

    gradient: float
    hessian: float
    means: Array  # tbar_j
    second: Array  # C_jl
    first: Array  # c_j
    about_centre: Array  # sum h (t_j - centre_j)^2
    raw: Array  # sum h t_j^2


def hessian_means(columns: Sequence[Column], h: Array, rows: Rows) -> Array:
    total = float(np.sum(h[rows]))
    if total <= 0.0:
        return np.zeros(len(columns))
    return np.array([np.sum(h[rows] * column.values[rows]) / total for column in columns])


def moments(columns: Sequence[Column], g: Array, h: Array, rows: Rows, centres: Array) -> Moments:
    gs, hs = g[rows], h[rows]
    means = hessian_means(columns, h, rows)
    t = np.array([column.values[rows] for column in columns]).reshape(len(columns), len(rows))
    deviations = t - means[:, None]
    return Moments(
        gradient=float(np.sum(gs)),
        hessian=float(np.sum(hs)),
        means=means,
        second=(deviations * hs) @ deviations.T,
        first=deviations @ gs,
        about_centre=((t - centres[:, None]) ** 2) @ hs,
        raw=(t**2) @ hs,
    )


@dataclass(frozen=True, eq=False)
class System:
    """L = 1/2 x'Ax + b'x over x = (m, s_1, ..., s_k)."""

    a: Array
    b: Array
    fixed: tuple[bool, ...]  # per entry of x; a fixed entry is 1


def build_system(sums: Moments, columns: Sequence[Column], penalty: Penalty) -> System:
    k = len(columns)
    a = np.zeros((k + 1, k + 1))
    a[0, 0] = sums.hessian
    a[1:, 1:] = sums.second
    b = np.concatenate([[sums.gradient], sums.first])
    if penalty.kind == "paper":
        # The raw intercept is m - sum_j s_j o_j.
        origins = sums.means + np.array([column.origin for column in columns])
        intercept = np.concatenate([[1.0], -origins])
        a += penalty.l2 * np.outer(intercept, intercept)
    else:
        a[0, 0] += penalty.l2
    for j, column in enumerate(columns, start=1):
        a[j, j] += penalty.l2_slopes * column.ridge
    return System(a=a, b=b, fixed=(False, *(column.fixed for column in columns)))


# keep(j, pivot, combination) decides on entry j >= 1 of x; the pivot is combination' A combination.
Keep = Callable[[int, float, Array], bool]


@dataclass(frozen=True, eq=False)
class Elimination:
    """The steps of LDL' and what they give."""

    kept: tuple[bool, ...]
    pivots: Array  # of dropped entries too
    residuals: Array  # b_j after the elimination of the kept entries before j
    combinations: Array  # row j: which entries of x pivot j is about, for the study of rounding
    x: Array  # 0 where dropped
    constant: float  # L of the fixed entries alone
    loss: float
    magnitude: float  # sum of the sizes of the terms that L is made of


def eliminate(system: System, keep: Keep) -> Elimination:
    """Minimise L, entry by entry in order: paper Eq. 3 and 4 for the entries that are kept."""
    size = len(system.b)
    fixed = np.array(system.fixed, dtype=np.float64)
    a = system.a.copy()
    b = system.b + system.a @ fixed
    constant = float(fixed @ system.a @ fixed / 2 + system.b @ fixed)
    combinations = np.eye(size)
    kept = [False] * size
    for j in range(size):
        if system.fixed[j] or not (j == 0 or keep(j, float(a[j, j]), combinations[j])):
            continue
        kept[j] = True
        for i in range(j + 1, size):
            factor = a[i, j] / a[j, j]
            a[i] -= factor * a[j]
            b[i] -= factor * b[j]
            combinations[i] -= factor * combinations[j]
    x = fixed.copy()
    loss = constant
    magnitude = float(fixed @ system.a @ fixed / 2 + abs(system.b @ fixed))
    for j in reversed(range(size)):
        if kept[j]:
            later = [i for i in range(j + 1, size) if kept[i]]
            x[j] = -(b[j] + a[j, later] @ x[later]) / a[j, j]
            loss -= b[j] ** 2 / (2 * a[j, j])
            magnitude += b[j] ** 2 / (2 * a[j, j])
    return Elimination(
        kept=tuple(kept),
        pivots=np.diag(a).copy(),
        residuals=b,
        combinations=combinations,
        x=x,
        constant=constant,
        loss=float(loss),
        magnitude=float(magnitude),
    )


@dataclass(frozen=True, eq=False)
class Fit:
    """f = mean + sum_j slopes_j (t_j - tbar_j), and its loss L."""

    loss: float
    magnitude: float  # sum of the sizes of the terms of L: what its rounding is relative to
    mean: float
    slopes: Array
    kept: tuple[bool, ...]  # per column; False where it was dropped
    column_means: Array


def keep_rule(sums: Moments, system: System, dropping: Dropping) -> Keep:
    def keep(j: int, pivot: float, _combination: Array) -> bool:
        if moment_vanishes(sums, j, dropping):
            return False
        return not pivot <= dropping.pivot * float(system.a[j, j])

    return keep


def moment_vanishes(sums: Moments, j: int, dropping: Dropping) -> bool:
    moment = sums.second[j - 1, j - 1]
    return bool(
        moment <= dropping.moment * sums.about_centre[j - 1]
        or moment <= ROUNDED_TO_ZERO * sums.raw[j - 1]
    )


def to_fit(sums: Moments, columns: Sequence[Column], steps: Elimination) -> Fit:
    if not (np.all(np.isfinite(steps.x)) and np.isfinite(steps.loss)):
        return zero_fit(sums, columns)
    return Fit(
        loss=steps.loss,
        magnitude=steps.magnitude,
        mean=float(steps.x[0]),
        slopes=steps.x[1:],
        kept=tuple(k or c.fixed for k, c in zip(steps.kept[1:], columns, strict=True)),
        column_means=sums.means,
    )


def zero_fit(sums: Moments, columns: Sequence[Column]) -> Fit:
    k = len(columns)
    return Fit(0.0, 0.0, 0.0, np.zeros(k), (False,) * k, sums.means)


def fit(
    sums: Moments,
    columns: Sequence[Column],
    penalty: Penalty,
    dropping: Dropping,
    left_out: frozenset[int] = frozenset(),
) -> Fit:
    """Fit with the columns that carry something, less those that are left out."""
    if sums.hessian + penalty.l2 == 0.0:
        return zero_fit(sums, columns)
    with np.errstate(all="ignore"):
        system = build_system(sums, columns, penalty)
        plain = keep_rule(sums, system, dropping)
        steps = eliminate(system, lambda j, p, c: j - 1 not in left_out and plain(j, p, c))
    return to_fit(sums, columns, steps)
