"""The patterns: each takes cells away from a training and a test part in one way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from benchmarks.trouble.cases import Part, ranks

__all__ = ["PATTERNS", "with_indicators"]

Array = npt.NDArray[np.float64]
Pattern = Callable[[Part, np.random.Generator], None]
Chance = Callable[[Array, Array], Array]
"""Values and targets as ranks -> probability of every cell to be missing."""


def with_indicators(X: Array) -> Array:
    """Return X and, behind it, a column for each of its own that is 1 where that is missing."""
    return np.hstack([X, np.isnan(X)])


def take_away(part: Part, rng: np.random.Generator, chance: Chance) -> None:
    """Draw the missing cells of both parts."""
    n = len(part.X)
    X = np.vstack([part.X, part.X_test])
    y = np.concatenate([part.y, part.y_test])
    X[rng.random(X.shape) < chance(ranks(X), ranks(y[:, None]))] = np.nan
    part.X, part.X_test = X[:n], X[n:]


def as_it_is(part: Part, rng: np.random.Generator) -> None:
    """Leave the cells as they are."""


def at_random(share: float) -> Pattern:
    return lambda part, rng: take_away(part, rng, lambda x, y: np.full(x.shape, share))


def large_values(part: Part, rng: np.random.Generator) -> None:
    """Of the largest fifth of each column take 80 %."""
    take_away(part, rng, lambda x, y: 0.8 * (x > 0.8))


def by_target(part: Part, rng: np.random.Generator) -> None:
    """Take cells of all columns, the more the larger the target: 5 to 35 %."""
    take_away(part, rng, lambda x, y: np.broadcast_to(0.05 + 0.3 * y, x.shape))


def one_by_target(part: Part, rng: np.random.Generator) -> None:
    """The same in the strongest column alone."""
    column = np.arange(part.X.shape[1]) == part.strongest()
    take_away(part, rng, lambda x, y: (0.05 + 0.3 * y) * column)


def blocks(part: Part, rng: np.random.Generator) -> None:
    """Take thirds of the columns together, each in 30 % of the rows."""
    block = rng.permutation(part.X.shape[1]) % 3
    for X in (part.X, part.X_test):
        X[(rng.random((len(X), 3)) < 0.3)[:, block]] = np.nan


PATTERNS: dict[str, Pattern] = {
    "as it is": as_it_is,
    "at random, 10 %": at_random(0.1),
    "at random, 30 %": at_random(0.3),
    "blocks of columns": blocks,
    "large values": large_values,
    "by the target, one column": one_by_target,
    "by the target, all columns": by_target,
}
