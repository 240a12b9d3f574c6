"""Row weights: finite, not negative, not all zero."""

from __future__ import annotations

import numbers

import numpy as np
import numpy.typing as npt

__all__ = ["weight_vector"]

LARGEST_TOTAL = 1e30  # as in the core, which checks it too


def weight_vector(
    weight: object, *, n_rows: int, input_name: str = "sample_weight"
) -> npt.NDArray[np.float64] | None:
    """Convert row weights to a contiguous float64 vector.

    Parameters
    ----------
    weight : array-like of shape (n_rows,), number, or None
        A single number counts for every row; None is weight 1.
    n_rows : int
        The number of rows of X.
    input_name : str
        How the error messages call it.

    Returns
    -------
    ndarray of float64 or None
        The user's own memory where possible.

    Examples
    --------
    >>> weight_vector([1, 0, 2], n_rows=3)
    array([1., 0., 2.])
    >>> weight_vector([1, -1, 2], n_rows=3)
    Traceback (most recent call last):
    ...
    ValueError: Negative values in sample_weight: got -1.0 in row 1. Weights must be >= 0; ...
    """
    if weight is None:
        return None
    if isinstance(weight, numbers.Real):
        weight = np.full(n_rows, float(weight))
    try:
        values = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{input_name} must hold one number for each row, got something else ({error}). "
            "Pass a one-dimensional array of numbers."
        ) from error
    if values.ndim != 1:
        raise ValueError(
            f"{input_name} must be one-dimensional, got the shape {values.shape}. "
            "Pass one weight for each row."
        )
    vector = np.ascontiguousarray(values)
    if len(vector) != n_rows:
        raise ValueError(
            f"{input_name} has {len(vector)} values, but X has {n_rows} rows. "
            "Pass one weight for each row."
        )
    _check_values(vector, input_name)
    return vector


def _check_values(vector: npt.NDArray[np.float64], input_name: str) -> None:
    finite = np.isfinite(vector)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(
            f"{input_name} must be finite, got {float(vector[row])!r} in row {row}. "
            "Use 0 to leave a row out."
        )
    negative = vector < 0
    if negative.any():
        row = int(np.argmax(negative))
        # scikit-learn's wording at the start, which its users may match.
        raise ValueError(
            f"Negative values in {input_name}: got {float(vector[row])!r} in row {row}. "
            "Weights must be >= 0; use 0 to leave a row out."
        )
    if not vector.any():
        raise ValueError(
            f"all values of {input_name} are zero, so no row counts. "
            "Sample weights must contain at least one non-zero number."
        )
    with np.errstate(over="ignore"):
        total = vector.sum()
    if not total <= LARGEST_TOTAL:
        raise ValueError(
            f"{input_name} must sum to at most 1e30, got {total:g}: sums are kept in float32. "
            "Divide the weights by their mean."
        )
