"""Targets: one or more finite numbers for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d

__all__ = ["check_classes", "one_column", "target_array"]


def target_array(y: object, *, n_rows: int, input_name: str = "y") -> npt.NDArray[np.float64]:
    """Convert targets to a float64 array of finite numbers.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or (n_rows, n_columns)
        The targets. A single column of shape (n_rows, 1) is taken with a warning.
    n_rows : int
        The number of rows of X.
    input_name : str
        How the error messages call it.

    Returns
    -------
    ndarray of float64
        Of one or, for several columns, two dimensions; the user's own memory where possible.

    Examples
    --------
    >>> target_array([1, 2], n_rows=2)
    array([1., 2.])
    >>> target_array([1.0, float("nan")], n_rows=2)
    Traceback (most recent call last):
    ...
    ValueError: Input y contains NaN in 1 of 2 rows, first in row 1. Drop these rows or ...
    """
    if y is None:
        raise ValueError(
            f"training requires {input_name} to be passed, but the target {input_name} is None. "
            "Pass one target for each row of X."
        )
    shape = np.shape(y)  # type: ignore[arg-type]
    several = len(shape) == 2 and shape[1] > 1
    values = np.asarray(y) if several else one_column(y, input_name=input_name)
    if values.dtype.kind not in "biuf":
        values = _to_numbers(values, input_name)
    targets = np.ascontiguousarray(values, dtype=np.float64)
    if len(targets) != n_rows:
        raise ValueError(
            f"{input_name} has {len(targets)} values, but X has {n_rows} rows. "
            "Pass one target for each row."
        )
    finite = np.isfinite(targets).reshape(len(targets), -1).all(axis=1)
    if not finite.all():
        _reject_non_finite(targets, ~finite, input_name)
    return targets


def one_column(y: object, *, input_name: str = "y") -> npt.NDArray[Any]:
    """Convert targets of any kind to a one-dimensional array.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Numbers or labels. A single column of shape (n_rows, 1) is taken with a warning.
    input_name : str
        How the error message calls it.

    Returns
    -------
    ndarray
        Of one dimension.

    Examples
    --------
    >>> one_column(["a", "b"])
    array(['a', 'b'], dtype='<U1')
    """
    try:
        column: npt.NDArray[Any] = column_or_1d(y, warn=True)
    except ValueError as error:
        # Older versions of scikit-learn call it y whatever it is.
        if input_name == "y":
            raise
        raise ValueError(f"{input_name}: {error}") from error
    return column


def check_classes(y: npt.NDArray[np.float64], n_classes: int, *, input_name: str = "y") -> None:
    """Raise unless all targets are numbers of classes: 0, 1, ..., n_classes - 1.

    Parameters
    ----------
    y : ndarray of float64
        Targets.
    n_classes : int
        The number of classes.
    input_name : str
        How the error message calls it.

    Examples
    --------
    >>> check_classes(np.array([0.0, 1.0, 2.0]), 2)
    Traceback (most recent call last):
    ...
    ValueError: loss='log_loss' needs targets of 0 to 1, the classes of the training data, got 2.0 \
in row 2 of y. ...
    """
    wrong = ~((y >= 0) & (y < n_classes) & (y == np.floor(y)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"loss='log_loss' needs targets of 0 to {n_classes - 1}, the classes of the training "
            f"data, got {float(y[row])!r} in row {row} of {input_name}. Encode the classes as 0, "
            "1, 2 and so on, or use PLBoostClassifier."
        )


def _to_numbers(values: npt.NDArray[np.generic], input_name: str) -> npt.NDArray[np.float64]:
    text = values.dtype.kind in "US" or any(isinstance(v, (str, bytes)) for v in values.flat)
    if not text and values.dtype.kind == "O":
        try:
            return values.astype(np.float64)
        except (TypeError, ValueError):
            pass
    kind = "text" if text else f"values of type {values.dtype}"
    raise ValueError(
        f"{input_name} must hold numbers, got {kind}. "
        "Convert it to floats, or use PLBoostClassifier if it holds class labels."
    )


def _reject_non_finite(
    vector: npt.NDArray[np.float64], wrong: npt.NDArray[np.bool_], input_name: str
) -> None:
    row = int(np.argmax(wrong))
    what = "NaN" if np.isnan(vector[row]).any() else "infinity"
    raise ValueError(
        f"Input {input_name} contains {what} in {int(wrong.sum())} of {len(vector)} rows, "
        f"first in row {row}. Drop these rows or fill them in."
    )
