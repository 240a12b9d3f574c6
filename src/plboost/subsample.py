"""The part of the rows that a tree knows of, of a user who sets none."""

from __future__ import annotations

__all__ = ["UNJUDGED_LOSSES", "automatic_subsample"]

# Rows judge second-order steps, each by itself. Leaves that are quantiles are none, and the
# documents of a query know of each other.
UNJUDGED_LOSSES = frozenset({"absolute_error", "quantile", "mape", "lambdarank", "listnet"})

# Chosen on many sets of few and of many rows (docs/adr/0025).
_FEWEST_ROWS = 100
_SMALL_ROWS = 2000
_MOST_LEFT_OUT = 0.3
_LEAST_LEFT_OUT = 0.1


def automatic_subsample(n_rows: int) -> float:
    """Choose by the size of the data what part of the rows a tree knows of.

    The others judge it. And trees of few rows follow the chance of these rows, all of them the same
    one, unless each knows another part of them.

    Parameters
    ----------
    n_rows : int
        Number of training rows.

    Returns
    -------
    float
        0.7 up to 2000 rows, then ``1 - 0.3 sqrt(2000 / n_rows)`` up to 0.9; but 1 below 100 rows.

    Examples
    --------
    >>> [automatic_subsample(n) for n in (50, 1000, 8000, 10**6)]
    [1.0, 0.7, 0.85, 0.9]
    """
    if n_rows < _FEWEST_ROWS:
        return 1.0
    left_out: float = _MOST_LEFT_OUT * min(1.0, _SMALL_ROWS / n_rows) ** 0.5
    return 1.0 - max(_LEAST_LEFT_OUT, left_out)
