"""How far rounding can move a fit, and which decisions it can turn around.

A fast program sums in float32, so each of its sums is off by a small part `noise` of the sum of
the sizes of its terms. With t_j measured from the node's centre that is

    d C_jl <= noise sqrt(S_j S_l),  S_j = sum h (t_j - centre_j)^2
    d c_j  <= noise A_j,            A_j = sum |g (t_j - centre_j)|

A pivot is v'Av for a known combination v of the columns, its residual is v'b; hence they are off
by at most noise (sum |v_j| sqrt(S_j))^2 and noise sum |v_j| A_j. From that follow bounds of the
loss, and the columns that one program may keep while another drops them: those whose moment or
pivot is as near to its threshold as the noise is large. Columns of an earlier fit (z) carry the
error of their slopes as well; it is kept as an energy, a bound of sum h (error of z)^2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .linear import (
    Column,
    Dropping,
    Elimination,
    Fit,
    Moments,
    Penalty,
    Rows,
    System,
    build_system,
    eliminate,
    keep_rule,
    moment_vanishes,
    moments,
    to_fit,
    zero_fit,
)
from .weighted import Array

# Below this part of its threshold a pivot is nothing but rounding: dividing by it means nothing.
MEANINGLESS = 1e-2


@dataclass(frozen=True, eq=False)
class Study:
    """A fit to be looked at with rounding in mind."""

    columns: Sequence[Column]
    sums: Moments
    system: System
    dropping: Dropping
    noise: Array  # [k + 1], relative, per entry of x
    spread: Array  # [k + 1], sqrt(noise_j S_j)
    residual: Array  # [k + 1], noise_j A_j

    def pivot_noise(self, combination: Array) -> float:
        return float(np.abs(combination) @ self.spread) ** 2

    def residual_noise(self, combination: Array) -> float:
        return float(np.abs(combination) @ self.residual)


def study(
    columns: Sequence[Column],
    g: Array,
    h: Array,
    rows: Rows,
    centres: Array,
    penalty: Penalty,
    dropping: Dropping,
    noise: float,
    first_column_error: float,
) -> Study:
    """Study the fit of `rows`; first_column_error is the energy of the error of columns[0]."""
    sums = moments(columns, g, h, rows, centres)
    sizes = [np.sum(np.abs(g[rows]))]
    sizes += [
        np.abs(g[rows]) @ np.abs(column.values[rows] - centre)
        for column, centre in zip(columns, centres, strict=True)
    ]
    squares = np.concatenate([[sums.hessian], sums.about_centre])
    relative = np.full(len(columns) + 1, noise)
    if first_column_error > 0.0 and squares[1] > 0.0:
        relative[1] += np.sqrt(first_column_error / squares[1])
    return Study(
        columns=columns,
        sums=sums,
        system=build_system(sums, columns, penalty),
        dropping=dropping,
        noise=relative,
        spread=np.sqrt(relative * squares),
        residual=relative * np.array(sizes),
    )


def is_ambiguous(s: Study, j: int, pivot: float, combination: Array) -> bool:
    """Tell whether rounding could turn around the decision to keep entry j."""
    if s.dropping.moment == 0.0 and moment_vanishes(s.sums, j, s.dropping):
        return False  # a leaf fit in float64 recognises a constant
    square = s.sums.about_centre[j - 1]
    moment = s.sums.second[j - 1, j - 1]
    margin = s.noise[j] * square
    lowest, highest = moment - margin, moment + margin
    threshold = s.dropping.pivot * float(s.system.a[j, j])
    pivot_margin = s.pivot_noise(combination)
    surely_dropped = (
        highest <= s.dropping.moment * square or pivot + pivot_margin <= threshold or square == 0.0
    )
    surely_kept = lowest > s.dropping.moment * square and pivot - pivot_margin > threshold
    return not surely_dropped and not surely_kept


@dataclass(frozen=True, eq=False)
class Alternative:
    """One outcome of a fit: which columns count as kept, and what follows."""

    fit: Fit
    steps: Elimination
    error: float  # energy of the error of the fitted linear part
    slope_errors: Array  # per column; infinite where the slope is nothing but rounding


def _run(s: Study, dropped: frozenset[int]) -> tuple[Elimination, list[int]]:
    """Eliminate with the given ambiguous entries dropped and the other ambiguous ones kept."""
    ambiguous: list[int] = []
    plain = keep_rule(s.sums, s.system, s.dropping)

    def keep(j: int, pivot: float, combination: Array) -> bool:
        if not is_ambiguous(s, j, pivot, combination):
            return plain(j, pivot, combination)
        ambiguous.append(j)
        # A column kept by rounding alone takes part in name only: its slope does nothing on
        # these rows, nor on any part of them. (Under the penalty "paper" a constant column has
        # a pivot all the same, and does something: it shifts the raw intercept.)
        threshold = max(
            s.dropping.pivot * float(s.system.a[j, j]),
            s.dropping.moment * float(s.sums.about_centre[j - 1]),
        )
        return j not in dropped and pivot > MEANINGLESS * threshold

    with np.errstate(all="ignore"):
        return eliminate(s.system, keep), ambiguous


def alternatives(
    s: Study,
    dropped: frozenset[int] = frozenset(),
    decided: frozenset[int] = frozenset(),
) -> Iterator[Alternative]:
    """Yield every outcome that rounding allows; just one where no decision is ambiguous.

    Entries in `decided` are not asked about: they are dropped when in `dropped`, else kept.
    """
    if s.system.a[0, 0] <= 0.0:
        nothing, _ = _run(s, _everything(s))
        yield Alternative(zero_fit(s.sums, s.columns), nothing, 0.0, np.zeros(len(s.columns)))
        return
    steps, ambiguous = _run(s, dropped)
    undecided = [j for j in ambiguous if j not in decided]
    if undecided:
        now = decided | {undecided[0]}
        yield from alternatives(s, dropped, now)
        yield from alternatives(s, dropped | {undecided[0]}, now)
        return
    fitted = to_fit(s.sums, s.columns, steps)
    members = tuple(
        kept or (j in ambiguous and j not in dropped) for j, kept in enumerate(fitted.kept, 1)
    )
    error = _error(s, steps)
    slope_errors = np.sqrt(error) * slope_reach(s.system, steps)
    for j, member in enumerate(members, 1):
        if member and not steps.kept[j] and not s.columns[j - 1].fixed:
            # Kept in name only: another program has any slope here, and the columns before it
            # make up for that.
            slope_errors = np.full(len(members), np.inf)
    yield Alternative(replace(fitted, kept=members), steps, error, slope_errors)


def _error(s: Study, steps: Elimination) -> float:
    total = 0.0
    for j in range(1, len(s.columns) + 1):
        if steps.kept[j]:
            pivot, combination = steps.pivots[j], steps.combinations[j]
            slope = abs(steps.residuals[j]) / pivot
            moved = s.residual_noise(combination) + slope * s.pivot_noise(combination)
            total += moved**2 / pivot
        elif s.columns[j - 1].fixed:
            total += s.noise[j] ** 2 * s.sums.about_centre[j - 1]
    return float(total)


def slope_reach(system: System, steps: Elimination) -> Array:
    """Return how far each slope moves under an error of energy 1: sqrt(inv(A)_jj)."""
    size = len(system.b)
    kept = [j for j in range(size) if steps.kept[j]]
    reach = np.zeros(size)
    reach[kept] = np.sqrt(np.maximum(np.diag(np.linalg.inv(system.a[np.ix_(kept, kept)])), 0.0))
    return reach[1:]


def loss_bounds(s: Study) -> tuple[float, float]:
    """Return the smallest and the largest loss that rounding can make of this fit."""
    if s.system.a[0, 0] <= 0.0:
        return 0.0, 0.0
    kept_all, ambiguous = _run(s, frozenset())
    low = kept_all.constant - _fixed_noise(s)
    for j in range(len(s.columns) + 1):
        if kept_all.kept[j] or j in ambiguous:
            combination = kept_all.combinations[j]
            floor = _smallest_kept_pivot(s, j, combination)
            pivot = max(kept_all.pivots[j] - s.pivot_noise(combination), floor)
            residual = abs(kept_all.residuals[j]) + s.residual_noise(combination)
            low -= residual**2 / (2 * pivot) if pivot > 0.0 else 0.0
    kept_few, _ = _run(s, _everything(s))
    high = kept_few.constant + _fixed_noise(s)
    for j in range(len(s.columns) + 1):
        if kept_few.kept[j]:
            combination = kept_few.combinations[j]
            pivot = kept_few.pivots[j] + s.pivot_noise(combination)
            residual = max(abs(kept_few.residuals[j]) - s.residual_noise(combination), 0.0)
            high -= residual**2 / (2 * pivot)
    return float(low), float(high)


def _everything(s: Study) -> frozenset[int]:
    return frozenset(range(1, len(s.columns) + 1))


def _smallest_kept_pivot(s: Study, j: int, combination: Array) -> float:
    """Return what a program that keeps entry j divides by at least."""
    if j == 0:
        return float(s.system.a[0, 0]) / 2
    floor = s.dropping.pivot * float(s.system.a[j, j])
    if np.count_nonzero(combination[1:]) == 1:
        floor = max(floor, s.dropping.moment * float(s.sums.about_centre[j - 1]))
    return floor


def _fixed_noise(s: Study) -> float:
    return sum(
        float(s.noise[j] * s.sums.about_centre[j - 1] + s.residual[j])
        for j in range(1, len(s.columns) + 1)
        if s.columns[j - 1].fixed
    )
