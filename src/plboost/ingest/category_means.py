"""The mean target of every category: columns of numbers beside those of categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = [
    "MISSING",
    "UNKNOWN",
    "CategoryMeans",
    "earlier_means",
    "learn_means",
    "means_of_training_rows",
]

FloatArray = npt.NDArray[np.float64]
Places = Mapping[int, npt.NDArray[np.int64]]
"""By categorical feature, the place of every row's category among those that are known."""

UNKNOWN = -2
MISSING = -1

# How many rows of the mean of all rows are added to a category. More blurs what is known of rare
# categories, and the noise of these is no worse for it (docs/adr/0013-category-means.md).
_SMOOTHING = 1.0


@dataclass(frozen=True, eq=False)
class CategoryMeans:
    """What the training rows say about the targets of every category.

    Attributes
    ----------
    kind : {"target", "classes"}
        The means of the columns of y, or the shares of the classes in y.
    table : mapping of int to ndarray of shape (n_categories, n_means)
        By categorical feature, the means of its categories, in the order of their places.
    prior : ndarray of shape (n_means,)
        The means of all rows. They stand for a category that is not known.

    Examples
    --------
    >>> means = CategoryMeans("target", {1: np.array([[3.0], [5.0]])}, np.array([4.0]))
    >>> means.columns({1: np.array([1, UNKNOWN, MISSING])}).ravel()
    array([ 5.,  4., nan])
    >>> means.names(["area", "city"])
    ['mean(city)']
    """

    kind: str
    table: Mapping[int, FloatArray]
    prior: FloatArray

    @property
    def owners(self) -> list[int]:
        """The categorical feature that each column belongs to."""
        return [feature for feature in self.table for _ in self.prior]

    def columns(self, places: Places) -> FloatArray:
        """Return the columns of rows that are to be predicted.

        A category that is not known has the prior: in training the first row of a category has
        hardly more. A missing value stays missing.

        Parameters
        ----------
        places : mapping of int to ndarray
            By categorical feature; `UNKNOWN` and `MISSING` for categories that have no place.

        Returns
        -------
        ndarray of shape (n_rows, n_features * n_means)
            The means of the first feature's category, then those of the second's, and so on.
        """
        return np.hstack([rows[places[feature]] for feature, rows in self._rows.items()])

    @cached_property
    def _rows(self) -> dict[int, FloatArray]:
        """The table with two rows more, where negative places lead: `UNKNOWN`, then `MISSING`."""
        last = [self.prior, np.full_like(self.prior, np.nan)]
        return {feature: np.vstack([table, *last]) for feature, table in self.table.items()}

    def names(self, feature_names: Sequence[str]) -> list[str]:
        """Return a name for each column, none of which a feature has."""
        if self.kind == "classes":
            classes = range(len(self.prior)) if len(self.prior) > 1 else [1]
            words = [("share", f", class {k}") for k in classes]
        elif len(self.prior) > 1:
            words = [("mean", f", output {k}") for k in range(len(self.prior))]
        else:
            words = [("mean", "")]
        names = [f"{word}({feature_names[i]}{which})" for i in self.table for word, which in words]
        taken = set(feature_names)
        while not taken.isdisjoint(names):
            names = [f"{name}'" for name in names]
        return names


def learn_means(
    places: Places,
    n_categories: Mapping[int, int],
    y: FloatArray,
    weights: FloatArray | None,
    *,
    kind: str,
    seed: int,
) -> tuple[CategoryMeans, FloatArray]:
    """Compute the means of all training rows, and for each of these rows those of earlier ones.

    Parameters
    ----------
    places : mapping of int to ndarray of shape (n_rows,)
        By categorical feature the place of every row's category.
    n_categories : mapping of int to int
        By categorical feature the number of known categories.
    y : ndarray of shape (n_rows,) or (n_rows, n_columns)
        Targets.
    weights : ndarray of shape (n_rows,) or None
        Weights of the rows; those of weight 0 do not count.
    kind : {"target", "classes"}
        The means of the columns of y, or the shares of the classes in y.
    seed : int
        Of the random order of the rows.

    Returns
    -------
    means : CategoryMeans
        For rows to predict.
    columns : ndarray of shape (n_rows, n_features * n_means)
        For the training rows: what :func:`earlier_means` says, rounded to the nearest mean of a
        category or of all rows. Without that, cuts would tell training rows of one category apart
        that are all the same to prediction.

    Examples
    --------
    >>> y = np.array([1.0, 1.0, 8.0])
    >>> means, columns = learn_means(
    ...     {0: np.array([0, 0, 1])}, {0: 2}, y, None, kind="target", seed=0
    ... )
    >>> means.table[0].ravel().round(3)
    array([1.778, 5.667])
    """
    order, sums = _in_order(_numbers(y, kind), weights, seed)
    earlier = earlier_means(places, y, weights, kind=kind, seed=seed)
    with _overflow_allowed():
        prior = sums[:, 1:].sum(axis=0) / sums[:, 0].sum()
        table = {
            feature: _smoothed(_totals(sums, place[order], n_categories[feature]), prior)
            for feature, place in places.items()
        }
    columns = []
    for feature, place in places.items():
        column = _nearest(earlier[feature], np.vstack([table[feature], prior]))
        column[place == UNKNOWN] = prior
        column[place == MISSING] = np.nan
        columns.append(column)
    return CategoryMeans(kind, table, prior), np.hstack(columns)


def earlier_means(
    places: Places, y: FloatArray, weights: FloatArray | None, *, kind: str, seed: int
) -> dict[int, FloatArray]:
    """Compute for each row the means of the rows of its category that come earlier.

    A row never sees its own target, so what a model learns from them holds for new rows too.

    Parameters
    ----------
    places, y, weights, kind, seed
        As of :func:`learn_means`.

    Returns
    -------
    dict of int to ndarray of shape (n_rows, n_means)
        By categorical feature; NaN in rows of weight 0.
    """
    values = _numbers(y, kind)
    order, sums = _in_order(values, weights, seed)
    means = {feature: np.full_like(values, np.nan) for feature in places}
    with _overflow_allowed():
        priors = _earlier_means_of_all(sums)
        for feature, place in places.items():
            means[feature][order] = _smoothed(_earlier_sums(sums, place[order]), priors)
    return means


def means_of_training_rows(
    means: CategoryMeans, places: Places, y: FloatArray, weights: FloatArray | None, *, seed: int
) -> FloatArray:
    """Return the columns of the rows on which a model goes on, which keeps its means.

    Parameters
    ----------
    means : CategoryMeans
        Those of the model.
    places, y, weights, seed
        As of :func:`learn_means`.

    Returns
    -------
    ndarray of shape (n_rows, n_features * n_means)
        What prediction gives. But if the means are those of these very rows, in which each row's
        target has a part, every row gets those of earlier rows.
    """
    sizes = {feature: len(table) for feature, table in means.table.items()}
    own, earlier = learn_means(places, sizes, y, weights, kind=means.kind, seed=seed)
    same = own.prior.shape == means.prior.shape and all(
        np.allclose(own.table[feature], table, rtol=1e-9, atol=1e-9 * np.max(np.abs(means.prior)))
        for feature, table in means.table.items()
    )
    return earlier if same else means.columns(places)


def _overflow_allowed() -> np.errstate:
    """Targets that are too large for sums are refused by what reads them next."""
    return np.errstate(over="ignore", invalid="ignore")


def _in_order(
    values: FloatArray, weights: FloatArray | None, seed: int
) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Return the rows of positive weight in a random order; their weights and weighted values."""
    counted = np.arange(len(values)) if weights is None else np.flatnonzero(weights > 0)
    # Unlike a Generator, a RandomState draws the same in every version of NumPy.
    order = np.random.RandomState(seed).permutation(counted)
    w = np.ones((len(order), 1)) if weights is None else weights[order, None]
    with _overflow_allowed():
        return order, np.hstack([w, w * values[order]])


def _numbers(y: FloatArray, kind: str) -> FloatArray:
    """Return the columns whose means are taken."""
    if kind == "target":
        return y.reshape(len(y), -1)
    classes = np.unique(y)
    are_two = bool(np.isin(classes, (0, 1)).all())
    if y.ndim == 2 or not (are_two or np.array_equal(classes, np.arange(len(classes)))):
        found = f"{y.shape[1]} columns" if y.ndim == 2 else f"values like {float(classes[-1])!r}"
        raise ValueError(
            f"category_means='classes' needs y of the classes 0, 1, 2 and so on without a gap, got "
            f"{found}. Use category_means='target' for the means of numbers."
        )
    shares: FloatArray = (y[:, None] == ([1] if are_two else classes)).astype(np.float64)
    return shares


def _smoothed(sums: FloatArray, prior: FloatArray) -> FloatArray:
    """Return means from sums of weights and of weighted values, as if rows of the prior came first.

    Prokhorenkova et al. 2018, "CatBoost: unbiased boosting with categorical features", Eq. 5.
    """
    means: FloatArray = (sums[:, 1:] + _SMOOTHING * prior) / (sums[:, :1] + _SMOOTHING)
    return means


def _nearest(values: FloatArray, grid: FloatArray) -> FloatArray:
    """Return for each value the nearest one of its column in the grid."""
    found = np.empty_like(values)
    for k, column in enumerate(grid.T):
        known = np.unique(column)
        middles = known[:-1] + (known[1:] - known[:-1]) / 2
        found[:, k] = known[np.searchsorted(middles, values[:, k])]
    return found


def _totals(sums: FloatArray, place: npt.NDArray[np.int64], n_categories: int) -> FloatArray:
    totals = np.zeros((n_categories, sums.shape[1]))
    known = place >= 0
    np.add.at(totals, place[known], sums[known])
    return totals


def _earlier_sums(values: FloatArray, place: npt.NDArray[np.int64]) -> FloatArray:
    """Return for each row the sums of the rows before it that have the same place."""
    earlier = np.zeros_like(values)
    by_place = np.argsort(place, kind="stable")
    bounds = np.flatnonzero(np.diff(place[by_place])) + 1
    # One category at a time: the last bits must not depend on targets of others.
    for rows in np.split(by_place, bounds):
        earlier[rows[1:]] = np.cumsum(values[rows[:-1]], axis=0)
    return earlier


def _earlier_means_of_all(sums: FloatArray) -> FloatArray:
    """Return for each row the mean of all rows before it, for the first that of all others."""
    earlier = _earlier_sums(sums, np.zeros(len(sums), dtype=np.int64))
    earlier[:1] = sums[1:].sum(axis=0)
    if len(sums) == 1:
        return np.zeros_like(earlier[:, 1:])
    means: FloatArray = earlier[:, 1:] / earlier[:, :1]
    return means
