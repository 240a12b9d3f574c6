"""Features: dense numeric arrays and data frames, float32 and float64 without a copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array

__all__ = [
    "CHECK_OPTIONS",
    "check_columns",
    "column_names",
    "feature_matrix",
    "reject_text_columns",
]

# For check_array and validate_data. NaN and infinities are values here; the core reads any strides.
CHECK_OPTIONS: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "order": None,
    "ensure_all_finite": False,
}


def column_names(X: object) -> list[str] | None:
    """Return the column names of a data frame.

    Parameters
    ----------
    X : object
        A frame of pandas or polars, a table of pyarrow, or anything without column names.

    Returns
    -------
    list of str or None
        None when there are no names, or when none of them is a string (as in
        ``pandas.DataFrame(array)``).

    Raises
    ------
    TypeError
        When some names are strings and some are not.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> column_names(pd.DataFrame({"height": [1.0], "age": [2.0]}))
    ['height', 'age']
    >>> column_names(np.zeros((1, 2))) is None
    True
    """
    if isinstance(X, np.ndarray):
        return None
    names = getattr(X, "column_names", None)
    if names is None:
        names = getattr(X, "columns", None)
    if names is None:
        return None
    found = list(names)
    strings = [isinstance(name, str) for name in found]
    if not any(strings):
        return None
    if not all(strings):
        odd = next(name for name, is_string in zip(found, strings, strict=True) if not is_string)
        raise TypeError(
            f"column names must be all strings or all not, got the name {odd!r} "
            f"({type(odd).__name__}) among strings. "
            "Convert them with X.columns = X.columns.astype(str)."
        )
    return [str(name) for name in found]


def feature_matrix(
    X: object,
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    input_name: str = "X",
) -> npt.NDArray[Any]:
    """Convert features to the matrix that the core reads.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_features)
        The features.
    n_features : int, optional
        The number of columns of the training data, if there was one.
    feature_names : sequence of str, optional
        The names of the training data, compared with the columns of a frame.
    input_name : str
        How the error messages call it.

    Returns
    -------
    ndarray
        Two-dimensional, float32 or float64; the user's own memory where possible.

    Examples
    --------
    >>> feature_matrix([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32) and X.size:
        matrix = X
    else:
        reject_text_columns(X, input_name=input_name)
        matrix = check_array(X, input_name=input_name, **CHECK_OPTIONS)
    if any(stride % matrix.itemsize for stride in matrix.strides) or not matrix.flags.aligned:
        # A field of a packed record: the core steps by whole items.
        matrix = matrix.copy()
    check_columns(X, matrix.shape[1], n_features, feature_names, input_name)
    return matrix


def check_columns(
    X: object,
    found: int | None,
    n_features: int | None,
    feature_names: Sequence[str] | None,
    input_name: str,
) -> None:
    """Raise unless the columns are those of the training data.

    Parameters
    ----------
    X : object
        The features as the user gave them.
    found : int
        The number of their columns.
    n_features : int, optional
        The number of columns of the training data, if there was one.
    feature_names : sequence of str, optional
        The names of the training data, compared with the columns of a frame.
    input_name : str
        How the error messages call it.
    """
    if n_features is not None and found != n_features:
        raise ValueError(
            f"{input_name} has {found} features, but the model was trained with "
            f"{n_features}. Pass the same columns in the same order."
        )
    if feature_names is not None:
        _check_names(column_names(X), feature_names, input_name)


def reject_text_columns(X: object, *, input_name: str = "X") -> None:
    """Raise for columns that are not numbers, naming them.

    Parameters
    ----------
    X : object
        Features as the user gave them. Object columns whose values are all numbers pass.
    input_name : str
        How the error messages call it.

    Raises
    ------
    ValueError, TypeError
        With the names of the columns, their types, and what to do.

    Examples
    --------
    >>> import pandas as pd
    >>> reject_text_columns(pd.DataFrame({"size": [1.0], "colour": ["red"]}))
    Traceback (most recent call last):
    ...
    ValueError: X has a column that is not numeric: 'colour' (text). Encode it as categories, ...
    """
    problems: list[str] = []
    reason: Exception | None = None
    for name, dtype, values in _suspicious_columns(X):
        kind = _kind(dtype)
        if kind is None:
            error = _conversion_error(values())
            if error is None:
                continue
            kind = "text" if isinstance(error, _TextFoundError) else f"objects: {error}"
            reason = reason or error
        problems.append(f"{name} ({kind})")
    if not problems:
        return
    one = len(problems) == 1
    shown = ", ".join(problems[:10]) + (f" and {len(problems) - 10} more" if problems[10:] else "")
    message = (
        f"{input_name} has {'a column that is' if one else 'columns that are'} not numeric: "
        f"{shown}. "
        f"Encode {'it' if one else 'them'} as categories, by naming {'it' if one else 'them'} in "
        "categorical_features or with X.astype('category'), or as numbers, for example with "
        f"sklearn.preprocessing.OrdinalEncoder, or drop {'it' if one else 'them'}."
    )
    raise (TypeError if isinstance(reason, TypeError) else ValueError)(message)


class _TextFoundError(ValueError):
    """A column holds strings."""


def _suspicious_columns(X: object) -> Iterator[tuple[str, object, Any]]:
    """Yield name, type and a function that gets the values, of columns that may not be numeric."""
    dtypes = getattr(X, "dtypes", None)
    names = getattr(X, "columns", None)
    if names is not None and dtypes is not None:
        frame: Any = X
        columns = list(names)
        by_position = getattr(frame, "iloc", None)
        for position, (name, dtype) in enumerate(zip(columns, list(dtypes), strict=True)):
            if _is_numeric(dtype):
                continue
            # Names may occur twice in pandas, so the position is what counts.
            if by_position is not None:
                get = partial(_pandas_column, by_position, position)
            else:
                get = partial(_polars_column, frame, name)
            yield repr(name), dtype, get
        return
    schema = getattr(X, "schema", None)
    if schema is not None and hasattr(X, "column_names"):
        for position, dtype in enumerate(schema.types):
            if not _is_arrow_number(dtype):
                yield repr(schema.names[position]), dtype, partial(_arrow_column, X, position)
        return
    array = X if isinstance(X, np.ndarray) else None
    if isinstance(X, (list, tuple)):
        try:
            array = np.asarray(X)
        except ValueError:
            return
    if array is None or array.ndim != 2 or _is_numeric(array.dtype):
        return
    for position in range(array.shape[1]):
        yield str(position), array.dtype, partial(array.__getitem__, (slice(None), position))


def _pandas_column(by_position: Any, position: int) -> npt.NDArray[Any]:
    return np.asarray(by_position[:, position], dtype=object)


def _polars_column(frame: Any, name: str) -> npt.NDArray[Any]:
    return np.asarray(frame[name].to_list(), dtype=object)


def _arrow_column(table: Any, position: int) -> npt.NDArray[Any]:
    return np.asarray(table.column(position).to_pylist(), dtype=object)


def _is_arrow_number(dtype: Any) -> bool:
    is_packed = str(dtype).startswith("run_end_encoded")
    numbers = ("int", "uint", "float", "halffloat", "double", "decimal", "bool", "null")
    return str(dtype.value_type if is_packed else dtype).startswith(numbers)


def _is_numeric(dtype: Any) -> bool:
    polars_answer = getattr(dtype, "is_numeric", None)
    if callable(polars_answer):
        return bool(polars_answer()) or str(dtype) == "Boolean"
    # Complex numbers pass here because scikit-learn has its own message for them.
    return getattr(dtype, "kind", "O") in "biufc" and str(dtype) != "category"


def _kind(dtype: Any) -> str | None:
    """Name a type that can never be numeric; None when the values decide."""
    text = str(dtype)
    if text == "object" or text.startswith("Object"):
        return None
    kind = getattr(dtype, "kind", "")
    if text in {"String", "str", "large_string"} or text.startswith("string") or kind in ("U", "S"):
        return "text"
    return text


def _conversion_error(values: npt.NDArray[Any]) -> Exception | None:
    if any(isinstance(value, (str, bytes)) for value in values.ravel()):
        return _TextFoundError()
    try:
        values.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        return error
    return None


def _check_names(given: Sequence[str] | None, expected: Sequence[str], input_name: str) -> None:
    if given is None or list(given) == list(expected):
        return
    missing = [name for name in expected if name not in set(given)]
    extra = [name for name in given if name not in set(expected)]
    if missing or extra:
        parts = []
        if missing:
            parts.append(f"missing: {_some(missing)}")
        if extra:
            parts.append(f"unknown: {_some(extra)}")
        raise ValueError(
            f"the columns of {input_name} are not those of the training data; {'; '.join(parts)}. "
            "Pass the columns the model was trained with."
        )
    place = next(i for i, name in enumerate(expected) if name != given[i])
    raise ValueError(
        f"the columns of {input_name} are in another order than in training: column {place} is "
        f"{given[place]!r}, expected {expected[place]!r}. "
        f"Pass {input_name}[model.feature_names]."
    )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
