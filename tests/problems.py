"""Small training problems with odd columns, for hypothesis.

Hypothesis chooses the shape, the kind of every column and a seed; NumPy draws the numbers. That
shrinks well (fewer rows, fewer and plainer columns) and costs little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# The same examples in every run: a near tie that rounding decides the other way in one of a million
# examples must not fail a run by chance.
STEADY = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)

# Columns without ties: two rows never share a value.
SMOOTH_KINDS = ("continuous", "skewed", "huge", "tiny")
COLUMN_KINDS = (
    *SMOOTH_KINDS,
    "ties",
    "few",
    "binary",
    "integers",
    "constant",
    "missing",
    "missing_constant",
    "infinite",
    "infinite_missing",
    "duplicate",
    "collinear",
)
WEIGHT_KINDS = ("none", "integers", "fractions")


@dataclass(frozen=True, eq=False)
class Problem:
    """Training data; weight None means that every row weighs 1."""

    X: FloatArray
    y: FloatArray
    weight: FloatArray | None

    @property
    def weights(self) -> FloatArray:
        """The weights, also where none are given."""
        return np.ones(len(self.y)) if self.weight is None else self.weight

    def __repr__(self) -> str:
        weight = None if self.weight is None else self.weight.tolist()
        return f"Problem(X={self.X.tolist()}, y={self.y.tolist()}, weight={weight})"


def _column(
    kind: str, rng: np.random.Generator, n: int, earlier: Sequence[FloatArray]
) -> FloatArray:
    """Draw one column; a copy of an earlier one where there is none is a plain column."""
    base = rng.normal(size=n)
    if kind in ("duplicate", "collinear") and earlier:
        source = earlier[int(rng.integers(len(earlier)))]
        # A power of two and an integer: no rounding of its own in columns of moderate size.
        return source.copy() if kind == "duplicate" else -4.0 * source + 3.0
    if kind == "skewed":
        return np.asarray(np.exp(2.0 * base))
    if kind == "huge":
        return base * 1e150
    if kind == "tiny":
        return base * 1e-150
    if kind == "ties":
        return np.asarray(np.round(base * 2) / 2)
    if kind == "few":
        return rng.choice([-1.5, 0.0, 0.25, 7.0], size=n)
    if kind == "binary":
        return rng.integers(0, 2, size=n).astype(float)
    if kind == "integers":
        return rng.integers(-20, 20, size=n).astype(float)
    if kind == "constant":
        return np.full(n, float(np.round(base[0], 1)))
    if kind.startswith("missing"):
        values = np.full(n, 2.5) if kind == "missing_constant" else base
        return np.where(rng.random(n) < 0.3, np.nan, values)
    if kind.startswith("infinite"):
        base[rng.random(n) < 0.15] = np.inf
        base[rng.random(n) < 0.15] = -np.inf
        return np.where(rng.random(n) < 0.2, np.nan, base) if "missing" in kind else base
    return base


def _weights(kind: str, rng: np.random.Generator, n: int) -> FloatArray | None:
    if kind == "none":
        return None
    # Dyadic fractions: their sums are exact in float32, so that "heavy enough" is never in doubt.
    weights = rng.integers(0, 4, size=n).astype(float)
    if kind == "fractions":
        weights = rng.integers(0, 17, size=n) / 8.0
    # Two rows at least count, so that a binary target can have both classes.
    weights[:2] = np.maximum(weights[:2], 1.0)
    return weights


def _target(X: FloatArray, rng: np.random.Generator, noise: float) -> FloatArray:
    """Draw a function of the columns with lines, steps and noise, about 1 in size."""
    score = noise * rng.normal(size=len(X))
    for column in X.T:
        finite = np.where(np.isfinite(column), column, np.nan)
        known = np.isfinite(finite)
        spread = np.ptp(finite[known]) if known.any() else 0.0
        if spread == 0.0:
            continue
        u = np.where(known, (finite - np.nanmin(finite)) / spread, 0.5)
        score += rng.normal() * u + rng.normal() * (u > rng.random())
        score += rng.normal() * ~known
    return score


@st.composite
def small_problems(
    draw: st.DrawFn,
    *,
    min_rows: int = 1,
    max_rows: int = 80,
    max_features: int = 6,
    kinds: Sequence[str] = COLUMN_KINDS,
    weights: Sequence[str] = WEIGHT_KINDS,
    binary: bool = False,
    noise: float = 0.3,
) -> Problem:
    """Problems with odd columns, where ties are common.

    With binary=True the target is 0 or 1, and both occur with positive weight; that takes two rows.
    """
    n = draw(st.integers(max(min_rows, 2 if binary else 1), max_rows), label="rows")
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=max_features), label="X")
    weight_kind = draw(st.sampled_from(weights), label="weight")
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    columns: list[FloatArray] = []
    for kind in chosen:
        columns.append(_column(kind, rng, n, columns))
    X = np.column_stack(columns)
    y = _target(X, rng, noise)
    if binary:
        y = (y > np.median(y)).astype(float)
        y[:2] = [0.0, 1.0]
    return Problem(X, y, _weights(weight_kind, rng, n))


def smooth_problems(
    *,
    min_rows: int = 40,
    max_rows: int = 80,
    max_features: int = 4,
    kinds: Sequence[str] = ("continuous", "skewed"),
    weights: Sequence[str] = ("none",),
    binary: bool = False,
) -> st.SearchStrategy[Problem]:
    """Problems where ties are rare: continuous columns, noise in y, enough rows.

    For properties that hold up to ties only. Two features that part the rows of a node alike tie
    exactly under a redundant split; with ten rows in every leaf that is rare too.
    """
    return small_problems(
        min_rows=min_rows,
        max_rows=max_rows,
        max_features=max_features,
        kinds=kinds,
        weights=weights,
        binary=binary,
    )
