"""The lines of a leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost.plotting.axes import booster_of, new_axes
from plboost.tree import Leaf, Tree

__all__ = ["plot_leaf"]


def plot_leaf(model: Any, tree: int, leaf: int, *, axes: Sequence[Any] | None = None) -> list[Any]:
    """Plot the output of one leaf against each of its regressors.

    Each picture shows one feature over the range it has in the leaf; the other regressors stand at
    the middle of theirs. Dotted lines are the limits of the leaf's output.

    Parameters
    ----------
    model : Booster, PLBoostRegressor or PLBoostClassifier
        A trained model.
    tree : int
        Number of the tree.
    leaf : int
        Number of the leaf in the tree.
    axes : sequence of matplotlib.axes.Axes, optional
        One for each regressor (one for a constant leaf); by default a new figure.

    Returns
    -------
    list of matplotlib.axes.Axes
        The axes drawn on.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> from plboost.plotting import plot_leaf
    >>> X = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> booster = train({"n_estimators": 1, "max_leaves": 2}, Dataset(X, np.abs(X[:, 0] - 0.5)))
    >>> [axes.get_xlabel() for axes in plot_leaf(booster, 0, 1)]
    ['x0']
    """
    booster = booster_of(model)
    chosen = booster.tree(tree)
    if not 0 <= leaf < len(chosen.leaves):
        raise IndexError(
            f"leaf must be between 0 and {len(chosen.leaves) - 1}, got {leaf}: tree {chosen.index} "
            f"has {len(chosen.leaves)} leaves."
        )
    line = chosen.leaves[leaf]
    features: list[str | None] = [*line.slopes] or [None]
    if axes is None:
        axes = new_axes(len(features), purpose="plot_leaf()")
    if len(axes) != len(features):
        raise ValueError(
            f"axes must hold {len(features)} axes, one for each regressor of the leaf, got "
            f"{len(axes)}. Leave axes out to get a new figure."
        )
    names = booster._categories.column_names(booster.feature_names)
    seen = zip(booster._arrays["feature_min"], booster._arrays["feature_max"], strict=True)
    ranges = _ranges(chosen, line, dict(zip(names, seen, strict=True)))
    middle = {name: (low + high) / 2 for name, (low, high) in ranges.items()}
    for ax, feature in zip(axes, features, strict=True):
        _draw(ax, line, feature, ranges, middle)
    axes[0].set_ylabel("output of the leaf")
    return list(axes)


def _ranges(
    tree: Tree, leaf: Leaf, seen: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Return the range of each regressor in the leaf: that of the data, cut by the splits above."""
    ranges = {name: seen[name] for name in leaf.slopes}
    for split, side in tree.path_to(leaf.leaf):
        if split.feature not in ranges or not np.isfinite(split.threshold):
            continue
        low, high = ranges[split.feature]
        if side == "left":
            high = min(high, split.threshold)
        else:
            low = max(low, split.threshold)
        ranges[split.feature] = (low, high)
    return ranges


def _draw(
    ax: Any,
    leaf: Leaf,
    feature: str | None,
    ranges: Mapping[str, tuple[float, float]],
    middle: Mapping[str, float],
) -> None:
    low, high = (0.0, 1.0) if feature is None else ranges[feature]
    x = np.linspace(low, high, 200)
    output: npt.NDArray[np.float64] = np.full(len(x), leaf.intercept)
    for name, slope in leaf.slopes.items():
        output += slope * (x if name == feature else middle[name])
    ax.plot(x, np.clip(output, leaf.low, leaf.high))
    for limit in (leaf.low, leaf.high):
        if np.isfinite(limit) and leaf.slopes:
            ax.axhline(limit, linestyle=":", linewidth=1, color="grey")
    ax.set_xlabel("constant leaf" if feature is None else feature)
