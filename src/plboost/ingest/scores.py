"""Initial scores: where the scores of the rows start."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["score_array"]


def score_array(
    init_score: object, *, n_rows: int, input_name: str = "init_score"
) -> npt.NDArray[np.float64] | None:
    """Convert initial scores to a float64 array of finite numbers.

    Parameters
    ----------
    init_score : array-like of shape (n_rows,) or (n_rows, n_outputs), or None
        The scores, before the link.
    n_rows : int
        The number of rows of X.
    input_name : str
        How the error messages call it.

    Returns
    -------
    ndarray of float64 or None
        Of one or two dimensions.

    Examples
    --------
    >>> score_array([1, 2], n_rows=2)
    array([1., 2.])
    >>> score_array([1, 2, 3], n_rows=2)
    Traceback (most recent call last):
    ...
    ValueError: init_score has the shape (3,), but X has 2 rows. Pass one score for each row ...
    """
    if init_score is None:
        return None
    try:
        scores = np.asarray(init_score, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{input_name} must hold numbers, got something else ({error}). "
            "Pass an array of scores before the link."
        ) from error
    if scores.ndim not in (1, 2) or len(scores) != n_rows or scores.size == 0:
        raise ValueError(
            f"{input_name} has the shape {scores.shape}, but X has {n_rows} rows. Pass one score "
            "for each row (and each output)."
        )
    wrong = ~(np.abs(scores) <= 1e150)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{input_name} must be finite and within +-1e150, got {float(scores[place])!r} in row "
            f"{place[0]}. Use 0 where nothing is known."
        )
    return scores
