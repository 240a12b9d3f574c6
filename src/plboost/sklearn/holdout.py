"""Rows that are held back to decide when to stop."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["held_back_rows"]


def held_back_rows(
    counted: npt.NDArray[np.bool_],
    *,
    fraction: float,
    split: str,
    seed: int,
    classes: npt.NDArray[Any] | None,
) -> npt.NDArray[np.bool_]:
    """Choose the rows of the validation set.

    Parameters
    ----------
    counted : ndarray of bool, shape (n_rows,)
        False for rows of weight 0, which neither set is to notice.
    fraction : float
        Part of the rows to hold back.
    split : {"random", "time"}
        At random, or the last rows.
    seed : int
        Of the random choice.
    classes : ndarray of shape (n_rows,) or None
        The class of each row: a random choice holds back the same part of each class.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
        True for the rows of the validation set.

    Raises
    ------
    ValueError
        When there are too few rows.

    Examples
    --------
    >>> held_back_rows(np.full(6, True), fraction=0.3, split="time", seed=0, classes=None)
    array([False, False, False, False,  True,  True])
    """
    rows = np.flatnonzero(counted)
    if split == "time":
        chosen = rows[len(rows) - _share(len(rows), fraction) :]
    elif classes is None:
        chosen = _drawn(rows, fraction, np.random.default_rng(seed))
    else:
        generator = np.random.default_rng(seed)
        chosen = np.concatenate(
            [
                _drawn(rows[classes[rows] == c], fraction, generator)
                for c in np.unique(classes[rows])
            ]
        )
    if not 0 < len(chosen) < len(rows):
        raise ValueError(
            f"validation_fraction={fraction} holds back {len(chosen)} of {len(rows)} rows (or "
            "queries), which leaves nothing to validate or to train on. Pass more of them, or an "
            "eval_set."
        )
    held_back = np.zeros(len(counted), dtype=bool)
    held_back[chosen] = True
    return held_back


def _share(n_rows: int, fraction: float) -> int:
    """Return the number of rows to hold back; a class of one row stays in the training data."""
    return min(max(1, round(n_rows * fraction)), n_rows - 1) if n_rows else 0


def _drawn(
    rows: npt.NDArray[np.intp], fraction: float, generator: np.random.Generator
) -> npt.NDArray[np.intp]:
    return generator.permutation(rows)[: _share(len(rows), fraction)]
