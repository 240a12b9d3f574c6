"""Queries: which rows are ranked against each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["query_sizes"]


def query_sizes(
    group: object = None, qid: object = None, *, n_rows: int, input_name: str = "group"
) -> npt.NDArray[np.int64] | None:
    """Return the number of rows of each query.

    Parameters
    ----------
    group : array-like of int, optional
        These numbers themselves.
    qid : array-like of shape (n_rows,), optional
        An id for each row in their place.
    n_rows : int
        The number of rows of X.
    input_name : str
        How the error messages call `group`.

    Returns
    -------
    ndarray of int64 or None
        None if neither is given.

    Examples
    --------
    >>> query_sizes(qid=["a", "a", "b"], n_rows=3)
    array([2, 1])
    >>> query_sizes([2, 2], n_rows=3)
    Traceback (most recent call last):
    ...
    ValueError: group sums to 4, but X has 3 rows. Pass the number of rows of each query.
    """
    if group is not None and qid is not None:
        raise ValueError("group and qid say the same in two ways, got both. Leave one out.")
    if qid is not None:
        return _sizes_of_ids(qid, n_rows)
    if group is None:
        return None
    given = np.asarray(group)
    if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iuf":
        raise ValueError(
            f"{input_name} must be a one-dimensional array of whole numbers, got the shape "
            f"{given.shape} of {given.dtype}. Pass the number of rows of each query."
        )
    wrong = ~((given >= 1) & (given <= n_rows) & (given == np.floor(given)))
    if wrong.any():
        query = int(np.argmax(wrong))
        raise ValueError(
            f"{input_name} must hold whole numbers between 1 and the {n_rows} rows of X, got "
            f"{given[query]} for query {query}. Pass the number of rows of each query."
        )
    sizes = np.ascontiguousarray(given, dtype=np.int64)
    if sizes.sum() != n_rows:
        raise ValueError(
            f"{input_name} sums to {sizes.sum()}, but X has {n_rows} rows. "
            "Pass the number of rows of each query."
        )
    return sizes


def _sizes_of_ids(qid: object, n_rows: int) -> npt.NDArray[np.int64]:
    ids = np.asarray(qid)
    if ids.shape != (n_rows,):
        raise ValueError(
            f"qid must have one id for each of the {n_rows} rows of X, got the shape {ids.shape}."
        )
    if n_rows == 0 or (ids[1:] != ids[:-1]).dtype != np.bool_:
        raise ValueError(f"qid must hold ids that can be compared, got {ids.dtype}.")
    starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
    seen: set[object] = set()
    for start in starts:
        key = ids[start].item() if isinstance(ids[start], np.generic) else ids[start]
        if key != key:
            raise ValueError(f"qid must not hold missing values, got one in row {start}.")
        if key in seen:
            raise ValueError(
                f"the rows of a query must follow one another, got qid {key!r} again in row "
                f"{start}. Sort the rows by qid."
            )
        seen.add(key)
    return np.diff(np.append(starts, n_rows)).astype(np.int64)
