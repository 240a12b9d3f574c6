"""Categories: which columns hold them, and the codes of their values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost.ingest.category_means import MISSING, UNKNOWN, CategoryMeans
from plboost.ingest.features import check_columns, feature_matrix
from plboost.ingest.tables import category_dtypes, column, n_columns, replace_columns, whole_table

__all__ = ["Categories", "Category", "categorical_columns", "learn_categories"]

Category = str | bool | int | float
"""A value by which a category is known. 1, 1.0 and True are the same."""

_LARGEST_INTEGER = 2**63


@dataclass(frozen=True)
class Categories:
    """The categories that a model knows: a code for each value, by feature.

    Attributes
    ----------
    values : dict of int to tuple
        For each categorical feature its categories; a category's place is its code.
    others : dict of int to tuple
        Categories that have no code, only means; their places follow those of `values`.
    means : CategoryMeans, optional
        What the training rows say about the targets of all these categories.

    Examples
    --------
    >>> known = Categories({0: ("red", "blue")})
    >>> known.matrix([["blue", 1.5], ["green", 2.5], [None, 3.5]])
    array([[1. , 1.5],
           [nan, 2.5],
           [nan, 3.5]])
    """

    values: Mapping[int, tuple[Category, ...]] = field(default_factory=dict)
    others: Mapping[int, tuple[Category, ...]] = field(default_factory=dict)
    means: CategoryMeans | None = None

    def matrix(
        self,
        X: object,
        *,
        n_features: int | None = None,
        feature_names: Sequence[str] | None = None,
        input_name: str = "X",
    ) -> npt.NDArray[Any]:
        """Convert features to the matrix that the core reads, categories to codes.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            The features. Categories that the model does not know are missing.
        n_features, feature_names, input_name
            As of :func:`feature_matrix`.

        Returns
        -------
        ndarray
            Two-dimensional, float32 or float64. The columns of means follow the features.
        """
        X = whole_table(X)
        given, places = X, self.places(X, n_features, feature_names, input_name)
        if places:
            given = replace_columns(X, {i: self._codes(i, place) for i, place in places.items()})
        matrix = feature_matrix(
            given, n_features=n_features, feature_names=feature_names, input_name=input_name
        )
        return matrix if self.means is None else np.hstack([matrix, self.means.columns(places)])

    def places(
        self,
        X: object,
        n_features: int | None = None,
        feature_names: Sequence[str] | None = None,
        input_name: str = "X",
    ) -> dict[int, npt.NDArray[np.int64]]:
        """Return by categorical feature the place of every row's category.

        Parameters
        ----------
        X, n_features, feature_names, input_name
            As of :meth:`matrix`.

        Returns
        -------
        dict of int to ndarray
            Places among `values` and `others`, `UNKNOWN` or `MISSING`; empty where X is no table.
        """
        if not self.values or n_columns(X) is None:
            return {}
        check_columns(X, n_columns(X), n_features, feature_names, input_name)
        found = {i: _factorise(column(X, i), f"column {i} of {input_name}") for i in self.values}
        return {i: self._places(i, rows) for i, rows in found.items()}

    def counts(self, n_features: int) -> list[int]:
        """Return the number of categories of every feature, 0 for numeric ones."""
        return [len(self.values.get(i, ())) for i in range(n_features)] if self.values else []

    def by_name(self, names: Sequence[str]) -> dict[str, list[Category]]:
        """Return the categories under the names of their features."""
        return {names[i]: list(values) for i, values in self.values.items()}

    @property
    def n_means(self) -> int:
        """The number of columns of means."""
        return 0 if self.means is None else len(self.means.owners)

    def column_names(self, names: Sequence[str]) -> list[str]:
        """Return the names of the features and of the columns of means behind them."""
        return [*names, *([] if self.means is None else self.means.names(names))]

    def by_feature(self, by_column: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Add what belongs to columns of means to the features that they belong to."""
        if self.means is None:
            return by_column
        n_features = len(by_column) - self.n_means
        sums: npt.NDArray[np.float64] = by_column[:n_features].copy()
        np.add.at(sums, self.means.owners, by_column[n_features:])
        return sums

    @property
    def sizes(self) -> dict[int, int]:
        """The number of categories that have a place, by feature."""
        return {i: len(places) for i, places in self._place_of.items()}

    @cached_property
    def _place_of(self) -> dict[int, dict[Category, int]]:
        known = {i: (*values, *self.others.get(i, ())) for i, values in self.values.items()}
        return {i: {v: place for place, v in enumerate(values)} for i, values in known.items()}

    def _places(self, feature: int, found: _Factorised) -> npt.NDArray[np.int64]:
        place_of = self._place_of[feature]
        places = [place_of.get(value, UNKNOWN) for value in found.values]
        # The last entry is for missing values, whose place is -1.
        return np.array([*places, MISSING], dtype=np.int64)[found.places]

    def _codes(self, feature: int, places: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        has_code = (places >= 0) & (places < len(self.values[feature]))
        return np.where(has_code, places, math.nan)


def categorical_columns(
    X: object, categorical_features: object, feature_names: Sequence[str] | None
) -> tuple[int, ...]:
    """Find the columns that hold categories.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_features)
        The features.
    categorical_features : "from_dtype", None, or array-like of bool, int or str
        As the user gave it.
    feature_names : sequence of str, optional
        Names of the columns, if there are any.

    Returns
    -------
    tuple of int
        Positions in ascending order.

    Examples
    --------
    >>> X = [["red", 1.0, 2]]
    >>> categorical_columns(X, [True, False, True], None)
    (0, 2)
    >>> categorical_columns(X, ["colour"], ["colour", "size", "kind"])
    (0,)
    >>> categorical_columns(X, [3], None)
    Traceback (most recent call last):
    ...
    ValueError: categorical_features must be between 0 and 2, got 3: X has 3 columns. ...
    """
    if categorical_features is None:
        return ()
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(
                "categorical_features must be 'from_dtype', None, or a list of column names, "
                f"positions or a mask, got {categorical_features!r}. "
                f"Pass [{categorical_features!r}] for the column of this name."
            )
        return tuple(category_dtypes(X))
    n = n_columns(X)
    if n is None:  # no table: what reads the features says so
        return ()
    try:
        given = [_plain(value) for value in np.ravel(np.array(categorical_features, dtype=object))]
    except (TypeError, ValueError):
        given = [object()]
    if all(isinstance(value, bool) for value in given):
        return _from_mask(given, n)
    if all(isinstance(value, int) and not isinstance(value, bool) for value in given):
        return _from_positions(given, n)
    if all(isinstance(value, str) for value in given):
        return _from_names(given, feature_names)
    raise TypeError(
        "categorical_features must be 'from_dtype', None, or a list of column names (str), of "
        f"positions (int) or a mask (bool), got {categorical_features!r}. "
        "Pass a list of one kind."
    )


def learn_categories(
    X: object,
    columns: Sequence[int],
    weights: npt.NDArray[np.float64] | None,
    max_bins: int,
    max_others: int = 0,
) -> Categories:
    """Choose the categories that get codes: of each column the heaviest.

    Parameters
    ----------
    X : array-like or frame of shape (n_rows, n_features)
        The training features.
    columns : sequence of int
        Positions of the categorical columns.
    weights : ndarray, optional
        Weights of the rows; those of weight 0 do not count.
    max_bins : int
        How many categories of a column get a code. The others are taken as missing.
    max_others : int
        How many more of them are remembered all the same.

    Returns
    -------
    Categories
        Codes in the order of the weights, among equals of the first rows: so they depend on
        neither the names of the categories nor the order that a frame keeps them in.

    Examples
    --------
    >>> learn_categories([["b"], ["a"], ["c"], ["a"]], [0], None, 2).values
    {0: ('a', 'b')}
    """
    learned: dict[int, tuple[Category, ...]] = {}
    others: dict[int, tuple[Category, ...]] = {}
    for position in columns:
        found = _factorise(column(X, position), f"column {position} of X")
        counted = found.places >= 0
        if weights is not None:
            counted &= weights > 0
        places, first = np.unique(found.places[counted], return_index=True)
        totals = np.bincount(
            found.places[counted],
            weights=None if weights is None else weights[counted],
            minlength=len(found.values),
        )[places]
        chosen = places[np.lexsort((first, -totals))[: max_bins + max_others]]
        values = tuple(found.values[place] for place in chosen)
        learned[position], others[position] = values[:max_bins], values[max_bins:]
    return Categories(learned, others if max_others else {})


@dataclass(frozen=True)
class _Factorised:
    """A column as its different values and the place of every row's value among them."""

    values: list[Category]
    places: npt.NDArray[np.int64]  # -1: missing


def _factorise(series: Any, name: str) -> _Factorised:
    if hasattr(series, "cat") and hasattr(series.cat, "codes"):  # category of pandas
        codes = series.cat.codes.to_numpy().astype(np.int64)
        # One row of a column with many categories must not cost a look at all of them.
        used = np.flatnonzero(np.bincount(codes + 1)[1:])
        distinct: list[Any] = list(series.cat.categories.take(used))
        place_of = np.full(len(series.cat.categories) + 1, -1)
        place_of[used] = np.arange(len(used))
        places = place_of[codes]
    elif isinstance(series, np.ndarray) and series.dtype.kind in "biuf":
        found, places = np.unique(series, return_inverse=True)
        distinct, places = found.tolist(), places.reshape(-1)
    else:
        seen: dict[Any, int] = {}
        rows = list(_items(series))
        try:
            places = np.fromiter(
                (seen.setdefault(value, len(seen)) for value in rows), np.int64, count=len(rows)
            )
        except TypeError as error:
            raise TypeError(
                f"{name} is categorical but holds values that cannot be compared: {error}. "
                "Convert them to strings."
            ) from error
        distinct = list(seen)
    new_place: list[int] = []
    values: list[Category] = []
    for value in distinct:
        if _is_missing(value):
            new_place.append(-1)
        else:
            new_place.append(len(values))
            values.append(_checked(value, name))
    return _Factorised(values, np.array([*new_place, -1], dtype=np.int64)[places])


def _items(series: Any) -> Iterator[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(series, method):
            return iter(getattr(series, method)())
    return iter(series)


def _is_missing(value: Any) -> bool:
    # NA and NaT of pandas, by name: pandas may not be installed.
    return (
        value is None
        or (isinstance(value, (float, np.floating)) and math.isnan(value))
        or type(value).__name__ in ("NAType", "NaTType")
    )


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _checked(value: Any, name: str) -> Category:
    plain = _plain(value)
    if isinstance(plain, str):
        return str(plain)
    if isinstance(plain, bool) or (
        isinstance(plain, int) and -_LARGEST_INTEGER <= plain < _LARGEST_INTEGER
    ):
        return plain
    if isinstance(plain, float) and math.isfinite(plain):
        return int(plain) if plain.is_integer() and abs(plain) < _LARGEST_INTEGER else plain
    raise TypeError(
        f"{name} is categorical: its values must be strings, booleans, integers of 64 bits or "
        f"finite numbers, got {value!r} ({type(value).__name__}). Convert them to strings."
    )


def _from_mask(mask: Sequence[bool], n: int) -> tuple[int, ...]:
    if mask and len(mask) != n:
        raise ValueError(
            f"categorical_features is a mask of {len(mask)} values, but X has {n} columns. "
            "Pass True or False for each column."
        )
    return tuple(i for i, chosen in enumerate(mask) if chosen)


def _from_positions(positions: Sequence[int], n: int) -> tuple[int, ...]:
    for position in positions:
        if not 0 <= position < n:
            raise ValueError(
                f"categorical_features must be between 0 and {n - 1}, got {position}: X has {n} "
                "columns. Pass positions from 0 on, or names of columns."
            )
    return tuple(sorted(set(positions)))


def _from_names(names: Sequence[str], known: Sequence[str] | None) -> tuple[int, ...]:
    if known is None:
        raise ValueError(
            f"categorical_features names the column {names[0]!r}, but X has no column names. "
            "Pass positions, or a frame with names."
        )
    for name in names:
        if name not in known:
            raise ValueError(
                f"categorical_features must be names of columns of X, got {name!r}. "
                f"The columns are {', '.join(map(repr, known[:20]))}."
            )
    return tuple(sorted({list(known).index(name) for name in names}))
