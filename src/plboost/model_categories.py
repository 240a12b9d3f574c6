"""The categories of a model file and their means (docs/model-format.md)."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost.errors import damaged_model_file
from plboost.ingest import Categories, Category, CategoryMeans

__all__ = ["category_arrays", "read_categories", "write_categories"]

_MOST_CATEGORIES = 255


def write_categories(categories: Categories) -> dict[str, Any]:
    """Return the entries of the header.

    Examples
    --------
    >>> write_categories(Categories({2: ("red", "blue")}))
    {'categories': [{'feature': 2, 'values': ['red', 'blue']}], 'category_means': None}
    """
    entry = [{"feature": i, "values": list(values)} for i, values in categories.values.items()]
    if categories.means is None:
        return {"categories": entry, "category_means": None}
    others = [list(categories.others.get(i, ())) for i in categories.values]
    return {
        "categories": entry,
        "category_means": {"kind": categories.means.kind, "others": others},
    }


def category_arrays(categories: Categories) -> dict[str, npt.NDArray[np.float64]]:
    """Return the arrays of the means, empty if there are none."""
    means = categories.means
    tables = [] if means is None else [means.table[i].ravel() for i in categories.values]
    return {
        "category_mean": np.concatenate([np.empty(0), *tables]),
        "category_prior": np.empty(0) if means is None else means.prior,
    }


def read_categories(
    header: Mapping[str, Any], arrays: MutableMapping[str, npt.NDArray[Any]]
) -> Categories:
    """Read the entries of the header, trusting nothing.

    Parameters
    ----------
    header : mapping
        What JSON gave.
    arrays : mutable mapping of str to ndarray
        The arrays of the file, from which those of the means are taken. The lengths of the others
        are checked elsewhere.

    Returns
    -------
    Categories
        The categories of each categorical feature, and their means.

    Raises
    ------
    ModelFileError
        When it is not as docs/model-format.md says, or the trees take a number for a category.
    """
    entry, prior = header["categories"], arrays.pop("category_prior")
    if not isinstance(entry, list):
        damaged_model_file("categories must be a list")
    n_features = len(arrays["feature_mean"]) - len(entry) * len(prior)
    found: dict[int, tuple[Category, ...]] = {}
    for item in entry:
        if not isinstance(item, dict) or set(item) != {"feature", "values"}:
            damaged_model_file("an item of categories must have a feature and values")
        feature, values = item["feature"], item["values"]
        if type(feature) is not int or not max(found, default=-1) < feature < n_features:
            damaged_model_file(f"the feature {feature!r} of categories is not in order")
        found[feature] = _values(values, most=_MOST_CATEGORIES)
    _check_use(found, arrays)
    return _with_means(found, header["category_means"], arrays.pop("category_mean"), prior)


def _with_means(
    values: dict[int, tuple[Category, ...]],
    entry: object,
    means: npt.NDArray[np.float64],
    prior: npt.NDArray[np.float64],
) -> Categories:
    """Read the means of categories of which the `values` are known."""
    if entry is None:
        if len(means) or len(prior):
            damaged_model_file("there are means of categories, but category_means is null")
        return Categories(values)
    if not isinstance(entry, dict) or set(entry) != {"kind", "others"}:
        damaged_model_file("category_means must have a kind and others")
    if entry["kind"] not in ("target", "classes"):
        damaged_model_file(f"the kind {entry['kind']!r} of category_means does not exist")
    if not isinstance(entry["others"], list) or len(entry["others"]) != len(values):
        damaged_model_file("category_means must have others for each categorical feature")
    others = {}
    for feature, more in zip(values, entry["others"], strict=True):
        others[feature] = _values(more)
        if not set(others[feature]).isdisjoint(values[feature]):
            damaged_model_file("a category occurs twice")
    sizes = [len(values[feature]) + len(others[feature]) for feature in values]
    if not values or not len(prior) or len(means) != sum(sizes) * len(prior):
        damaged_model_file(f"{len(means)} means do not fit {sum(sizes)} categories")
    if not (np.isfinite(means).all() and np.isfinite(prior).all()):
        damaged_model_file("a mean of a category is not finite")
    parts = np.split(means.reshape(-1, len(prior)), np.cumsum(sizes)[:-1])
    table = dict(zip(values, parts, strict=True))
    return Categories(values, others, CategoryMeans(entry["kind"], table, prior))


def _values(values: object, most: int | None = None) -> tuple[Category, ...]:
    if not isinstance(values, list) or (most is not None and len(values) > most):
        number = "" if most is None else f"at most {most} "
        damaged_model_file(f"a feature must have a list of {number}categories")
    if not all(isinstance(value, (str, bool, int, float)) for value in values):
        damaged_model_file("a category must be a text, a number, true or false")
    if len(set(values)) != len(values):
        damaged_model_file("a category occurs twice")
    return tuple(values)


def _check_use(
    categories: Mapping[int, tuple[Category, ...]], arrays: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Raise when a split or a line takes codes for numbers, or numbers for codes."""
    features, sets = arrays["node_feature"], arrays["node_category_set"]
    known = list(categories)
    by_set = sets >= 0 if len(sets) == len(features) else np.zeros(len(features), dtype=bool)
    if np.any(np.isin(features, known) != by_set):
        damaged_model_file("a split does not fit the kind of its feature")
    if np.any(np.isin(arrays["regressor_feature"], known)):
        damaged_model_file("a categorical feature has a slope")
