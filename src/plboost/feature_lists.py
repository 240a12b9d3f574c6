"""What the user may say about features: signs, lists and sets, by name or by index."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from plboost.ingest import Categories

__all__ = ["FeatureGroups", "FeatureList", "FeatureSigns", "by_column"]

Feature = str | int


def _items(value: object) -> list[Any] | None:
    """Return the elements of a list, tuple, set or one-dimensional array."""
    if isinstance(value, np.ndarray):
        return list(value.tolist()) if value.ndim == 1 else None
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=lambda item: (isinstance(item, str), item))
    if isinstance(value, (list, tuple)):
        return [item.item() if isinstance(item, np.generic) else item for item in value]
    return None


def _is_index(item: object) -> bool:
    return isinstance(item, numbers.Integral) and not isinstance(item, bool)


def _are_features(items: Iterable[object]) -> bool:
    return all(isinstance(item, str) or _is_index(item) for item in items)


@dataclass(frozen=True)
class FeatureSigns:
    """-1, 0 or 1 for every feature, or for some of them by name."""

    allowed: str = "a list of -1, 0 or 1 for each feature, or a dict of names and -1, 0 or 1"

    def has_type(self, value: object) -> bool:
        """Tell whether the value is a list or a dict."""
        return isinstance(value, Mapping) or _items(value) is not None

    def convert(self, value: Any) -> list[int] | dict[str, int] | None:
        """Return a list or a dict, or None when it holds something else than signs."""
        is_dict = isinstance(value, Mapping)
        signs = list(value.values()) if is_dict else _items(value) or []
        if not all(isinstance(s, numbers.Real) and s in (-1, 0, 1) for s in signs):
            return None
        plain = [int(sign) for sign in signs]
        if not is_dict:
            return plain
        by_name = all(isinstance(name, str) for name in value)
        return dict(zip(value, plain, strict=True)) if by_name else None


@dataclass(frozen=True)
class FeatureList:
    """Names, indices, or True and False for each feature."""

    flag: bool = False
    """True or False may stand for all features or none."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        lists = "a list of feature names or indices, or of True and False for each feature"
        return f"True, False, {lists}" if self.flag else lists

    def has_type(self, value: object) -> bool:
        """Tell whether the value is a list, or a flag where that is allowed."""
        return _items(value) is not None or (self.flag and isinstance(value, (bool, np.bool_)))

    def convert(self, value: Any) -> list[Any] | bool | None:
        """Return a list or a flag, or None when it holds something else than features."""
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        items = _items(value) or []
        is_mask = bool(items) and all(isinstance(item, bool) for item in items)
        return items if is_mask or _are_features(items) else None


@dataclass(frozen=True)
class FeatureGroups:
    """Sets of features, or one of two words."""

    allowed: str = "'pairwise', 'no_interactions' or a list of sets of feature names or indices"

    def has_type(self, value: object) -> bool:
        """Tell whether the value is a word or a list."""
        return isinstance(value, str) or _items(value) is not None

    def convert(self, value: Any) -> str | list[list[Feature]] | None:
        """Return the word or lists of features, or None when it is something else."""
        if isinstance(value, str):
            return value if value in ("pairwise", "no_interactions") else None
        try:
            groups = [_items(group) for group in value]
        except TypeError:
            return None
        if any(group is None or not _are_features(group) for group in groups):
            return None
        return [list(group) for group in groups if group is not None]


def by_column(
    checked: Mapping[str, Any],
    names: Sequence[str] | None,
    n_features: int,
    categories: Categories,
) -> dict[str, Any]:
    """Translate the constraints among checked parameters to lists by column.

    Parameters
    ----------
    checked : mapping
        What :func:`plboost.parameters.check_training_parameters` returned.
    names : sequence of str or None
        The names of the features, if they have any.
    n_features : int
        Their number.
    categories : Categories
        Those that hold categories. What is said of one holds for its columns of means.

    Returns
    -------
    dict
        The core's form of every constraint, by feature and then by column of means; an empty list
        asks nothing.

    Raises
    ------
    ValueError
        For a feature that is not there, a list of the wrong length, or two constraints that
        contradict each other.

    Examples
    --------
    >>> from plboost.parameters import check_training_parameters
    >>> checked = check_training_parameters({"monotonic_cst": {"age": 1}})
    >>> by_column(checked, ["age", "name"], 2, Categories())["monotonic_cst"]
    [1, 0]
    """
    if names is None:
        names = [f"x{column}" for column in range(n_features)]
    lists = {
        "monotonic_cst": _signs(checked["monotonic_cst"], names),
        "interaction_cst": _groups(checked["interaction_cst"], names),
        **{
            name: _mask(name, checked[name], names)
            for name in ("split_features", "regressor_features", "nonnegative_slopes")
        },
    }
    _check_categorical(checked, lists, categories, names)
    if categories.means is not None:
        lists = _with_means(lists, categories.means.owners, n_features)
    _check_together(checked, lists, categories.column_names(names))
    return lists


def _column(parameter: str, feature: Feature, names: Sequence[str]) -> int:
    if isinstance(feature, str):
        if feature not in names:
            shown = ", ".join(repr(name) for name in names[:10])
            raise ValueError(
                f"{parameter} names the feature {feature!r}, which is not there. The features are "
                f"{shown}{', ...' if len(names) > 10 else ''}."
            )
        return names.index(feature)
    if not 0 <= feature < len(names):
        raise ValueError(
            f"{parameter} has the index {feature}, but there are {len(names)} features. "
            f"Use indices from 0 to {len(names) - 1}."
        )
    return int(feature)


def _check_length(parameter: str, values: Sequence[object], names: Sequence[str]) -> None:
    if len(values) != len(names):
        raise ValueError(
            f"{parameter} must have one entry for each of the {len(names)} features, got "
            f"{len(values)}. Name the features instead to leave some out."
        )


def _signs(value: Any, names: Sequence[str]) -> list[int]:
    if value is None:
        return []
    if isinstance(value, dict):
        signs = [0] * len(names)
        for feature, sign in value.items():
            signs[_column("monotonic_cst", feature, names)] = sign
        return signs
    _check_length("monotonic_cst", value, names)
    return list(value)


def _mask(parameter: str, value: Any, names: Sequence[str]) -> list[int]:
    if value is None or value is False:
        return []
    if value is True:
        return [1] * len(names)
    if value and all(isinstance(item, bool) for item in value):
        _check_length(parameter, value, names)
        return [int(item) for item in value]
    chosen = {_column(parameter, feature, names) for feature in value}
    return [int(column in chosen) for column in range(len(names))]


def _groups(value: Any, names: Sequence[str]) -> list[list[int]]:
    """Return sets of columns; those in no set form one more, as in scikit-learn."""
    if value is None:
        return []
    columns = range(len(names))
    if value == "no_interactions":
        return [[column] for column in columns]
    if value == "pairwise":
        return [list(pair) for pair in combinations(columns, 2)] or [[0]]
    groups = [sorted({_column("interaction_cst", f, names) for f in group}) for group in value]
    rest = sorted(set(columns) - {column for group in groups for column in group})
    return [*groups, rest] if rest else groups


def _with_means(lists: Mapping[str, Any], owners: Sequence[int], n_features: int) -> dict[str, Any]:
    """Let columns of means follow the features that they belong to."""
    extended = {
        name: values and [*values, *(values[owner] for owner in owners)]
        for name, values in lists.items()
        if name != "interaction_cst"
    }
    for owner in owners if extended["regressor_features"] else ():
        extended["regressor_features"][owner] = 0
    groups = [
        [*group, *(n_features + i for i, owner in enumerate(owners) if owner in group)]
        for group in lists["interaction_cst"]
    ]
    return {**extended, "interaction_cst": groups}


def _check_together(
    checked: Mapping[str, Any], lists: Mapping[str, Any], names: Sequence[str]
) -> None:
    falling = [n for n, sign in zip(names, lists["monotonic_cst"], strict=False) if sign < 0]
    not_below = [n for n, sign in zip(names, lists["nonnegative_slopes"], strict=False) if sign]
    both = [name for name in falling if name in not_below]
    if both:
        raise ValueError(
            f"monotonic_cst asks that predictions never rise with {both[0]!r}, nonnegative_slopes "
            f"that its slopes are never below 0. Leave {both[0]!r} out of one of the two."
        )
    lines_only = [
        name
        for name, line, cut in zip(
            names, lists["regressor_features"], lists["split_features"], strict=False
        )
        if line and not cut
    ]
    if not lines_only or checked["regressors"] == "all":
        return
    which = f"regressor_features without split_features ({lines_only[0]!r}, ...)"
    if len(lines_only) > checked["max_regressors"]:
        raise ValueError(
            f"{which} puts {len(lines_only)} lines into every leaf, but max_regressors is "
            f"{checked['max_regressors']}. Raise max_regressors or let these features be cut."
        )
    if checked["fitting"] != "fully_corrective" and not checked["refit_leaves"]:
        raise ValueError(
            f"{which} needs leaves that are fitted anew: set refit_leaves=True or "
            "fitting='fully_corrective'."
        )
    if lists["interaction_cst"]:
        raise ValueError(
            f"{which} puts these features into every leaf, whatever interaction_cst says. "
            "Leave one of the two out."
        )


def _check_categorical(
    checked: Mapping[str, Any],
    lists: Mapping[str, Any],
    categories: Categories,
    names: Sequence[str],
) -> None:
    """Raise where a category is asked for an order, or without means for a slope."""
    for parameter, wish in (
        ("monotonic_cst", "an order"),
        ("regressor_features", "a slope"),
        ("nonnegative_slopes", "a slope"),
    ):
        has_slopes = categories.means is not None and wish == "a slope"
        # True means all features that have slopes.
        if has_slopes or checked[parameter] is True:
            continue
        asked = [
            column for column in categories.values if any(lists[parameter][column : column + 1])
        ]
        if asked:
            name = names[asked[0]]
            hint = " Or set category_means, which has slopes." if wish == "a slope" else ""
            raise ValueError(
                f"{parameter}={checked[parameter]!r} asks for {wish} of {name!r}, which "
                "categorical_features makes a feature of categories: these have neither order nor "
                f"slope. Leave {name!r} out of one of the two.{hint}"
            )
