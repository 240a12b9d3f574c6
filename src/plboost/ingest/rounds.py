"""How many rounds of a model to use."""

from __future__ import annotations

import numpy as np

__all__ = ["best_round_of", "round_count"]


def round_count(n_rounds: object, *, total: int, best: int | None) -> int:
    """Check the argument ``n_rounds``.

    Parameters
    ----------
    n_rounds : int, "all" or None
        What the user gave.
    total : int
        Number of rounds of the model.
    best : int or None
        Its best round, which None stands for.

    Returns
    -------
    int
        Between 0 and `total`.

    Examples
    --------
    >>> [round_count(n, total=50, best=30) for n in (None, "all", 10)]
    [30, 50, 10]
    """
    if n_rounds is None:
        return total if best is None else best
    if isinstance(n_rounds, str) and n_rounds == "all":
        return total
    if isinstance(n_rounds, bool) or not isinstance(n_rounds, (int, np.integer)):
        raise TypeError(
            f"n_rounds must be None, 'all' or an integer, got {n_rounds!r} "
            f"({type(n_rounds).__name__}). Use 'all' for all rounds."
        )
    if not 0 <= n_rounds <= total:
        raise ValueError(
            f"n_rounds must be between 0 and {total}, got {n_rounds}: the model has {total} "
            "rounds. Use 'all' for all of them."
        )
    return int(n_rounds)


def best_round_of(value: object, *, total: int) -> int | None:
    """Check a value of ``best_round``.

    Parameters
    ----------
    value : int or None
        What the user gave.
    total : int
        Number of rounds of the model.

    Returns
    -------
    int or None
        Between 1 and `total`.

    Examples
    --------
    >>> best_round_of(7, total=5)
    Traceback (most recent call last):
    ...
    ValueError: best_round must be None or between 1 and 5, got 7: the model has 5 rounds.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(
            f"best_round must be None or an integer, got {value!r} ({type(value).__name__})."
        )
    if not 1 <= value <= total:
        raise ValueError(
            f"best_round must be None or between 1 and {total}, got {value}: the model has {total} "
            "rounds."
        )
    return int(value)
