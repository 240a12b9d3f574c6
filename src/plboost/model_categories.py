"""The categories in the header of a model file (docs/model-format.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost.errors import damaged_model_file
from plboost.ingest import Category

__all__ = ["read_categories", "write_categories"]

_MOST_CATEGORIES = 255


def write_categories(categories: Mapping[int, tuple[Category, ...]]) -> list[dict[str, Any]]:
    """Return the entry of the header.

    Examples
    --------
    >>> write_categories({2: ("red", "blue")})
    [{'feature': 2, 'values': ['red', 'blue']}]
    """
    return [{"feature": i, "values": list(values)} for i, values in sorted(categories.items())]


def read_categories(
    entry: object, arrays: Mapping[str, npt.NDArray[Any]]
) -> dict[int, tuple[Category, ...]]:
    """Read the entry of the header, trusting nothing.

    Parameters
    ----------
    entry : object
        What JSON gave.
    arrays : mapping of str to ndarray
        The arrays of the file. Their own lengths are checked elsewhere.

    Returns
    -------
    dict of int to tuple
        The categories of each categorical feature.

    Raises
    ------
    ModelFileError
        When it is not as docs/model-format.md says, or the trees take a number for a category.
    """
    if not isinstance(entry, list):
        damaged_model_file("categories must be a list")
    n_features = len(arrays["feature_mean"])
    found: dict[int, tuple[Category, ...]] = {}
    for item in entry:
        if not isinstance(item, dict) or set(item) != {"feature", "values"}:
            damaged_model_file("an item of categories must have a feature and values")
        feature, values = item["feature"], item["values"]
        if type(feature) is not int or not max(found, default=-1) < feature < n_features:
            damaged_model_file(f"the feature {feature!r} of categories is not in order")
        found[feature] = _values(values)
    _check_use(found, arrays)
    return found


def _values(values: object) -> tuple[Category, ...]:
    if not isinstance(values, list) or len(values) > _MOST_CATEGORIES:
        damaged_model_file(f"a feature must have a list of at most {_MOST_CATEGORIES} categories")
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
