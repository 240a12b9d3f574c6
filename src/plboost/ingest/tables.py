"""Single columns of arrays and of the frames of every library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["category_dtypes", "column", "n_columns", "replace_columns", "whole_table"]


def whole_table(X: object) -> Any:
    """Return a batch of Arrow as a table, which rows and columns can be put into; others as is.

    Parameters
    ----------
    X : object
        Features as the user gave them.

    Returns
    -------
    object
        X itself, or a table of the same memory.
    """
    if type(X).__name__ != "RecordBatch" or not hasattr(X, "schema"):
        return X
    import pyarrow as pa

    return pa.Table.from_batches([X])


def n_columns(X: object) -> int | None:
    """Return the number of columns; None where there are no two dimensions.

    Examples
    --------
    >>> n_columns([["red", 1.0]]), n_columns([1.0])
    (2, None)
    """
    shape = getattr(X, "shape", None)
    if shape is None:
        try:
            shape = np.array(X, dtype=object).shape
        except ValueError:  # rows of different lengths
            return None
    return int(shape[1]) if len(shape) == 2 else None


def category_dtypes(X: object) -> list[int]:
    """Return the positions of the columns of a categorical type.

    Parameters
    ----------
    X : object
        ``category`` of pandas, ``Categorical`` and ``Enum`` of polars, ``dictionary`` of pyarrow;
        arrays and lists have none.

    Returns
    -------
    list of int
        In ascending order.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.0], "colour": ["red"]})
    >>> category_dtypes(frame), category_dtypes(frame.astype({"colour": "category"}))
    ([], [1])
    """
    schema = getattr(X, "schema", None)
    if hasattr(X, "column_names") and schema is not None:
        dtypes = list(schema.types)
    elif hasattr(X, "columns") and hasattr(X, "dtypes"):
        dtypes = list(X.dtypes)
    else:
        return []
    kinds = ("category", "Categorical", "Enum", "dictionary")
    return [i for i, dtype in enumerate(dtypes) if str(dtype).startswith(kinds)]


def column(X: object, position: int) -> Any:
    """Return one column: a series of its library, or an array.

    Parameters
    ----------
    X : array-like or frame
        Of two dimensions.
    position : int
        Number of the column.

    Returns
    -------
    object
        As its library has it.
    """
    table: Any = X
    if isinstance(X, np.ndarray):
        return X[:, position]
    if hasattr(X, "iloc"):
        return table.iloc[:, position]
    if hasattr(X, "column_names"):
        return table.column(position)
    if hasattr(X, "columns"):
        return table.to_series(position)
    return np.array(X, dtype=object)[:, position]


def replace_columns(X: object, columns: Mapping[int, npt.NDArray[np.float64]]) -> Any:
    """Return a table with other columns in some places; X itself does not change.

    Parameters
    ----------
    X : array-like or frame
        Of two dimensions.
    columns : mapping of int to ndarray
        The new columns by position.

    Returns
    -------
    object
        A frame of the same library, or an array.
    """
    table: Any = X
    if hasattr(X, "iloc"):
        table = table.copy(deep=False)
        for position, values in columns.items():
            table.isetitem(position, values)
        return table
    if hasattr(X, "column_names"):
        for position, values in columns.items():
            table = table.set_column(position, table.column_names[position], [values])
        return table
    if hasattr(X, "columns"):
        table = table.clone()
        for position, values in columns.items():
            series = table.to_series(position)
            table.replace_column(position, type(series)(series.name, values))
        return table
    array = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    if array.dtype.kind == "f":
        array = array.copy()
    else:
        array = array.astype(np.float64 if array.dtype.kind in "biu" else object)
    for position, values in columns.items():
        array[:, position] = values
    return array
