"""Trees that people can read: splits and leaf lines in the user's units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from plboost.ingest import Category

__all__ = ["Leaf", "Split", "Tree", "read_tree"]


@dataclass(frozen=True)
class Split:
    """An inner node: ``feature <= threshold`` goes left, or ``feature in categories``.

    Attributes
    ----------
    node : int
        Number of the node in its tree; the root is 0.
    depth : int
        Number of splits above it.
    feature : str
        Name of the feature; ``mean(name)`` or ``share(name, class k)`` for means of categories.
    threshold : float
        Infinity when every value goes left and only missing ones go right, NaN when the feature is
        categorical.
    missing : {"left", "right"}
        Where missing values go.
    gain : float
        How much the split lowered the loss.
    weight : float
        Sum of the weights of the training rows.
    left, right : int
        Numbers of the children.
    categories : tuple or None
        The categories that go left; None when the feature is a number.
    """

    node: int
    depth: int
    feature: str
    threshold: float
    missing: Literal["left", "right"]
    gain: float
    weight: float
    left: int
    right: int
    categories: tuple[Category, ...] | None = None

    def __str__(self) -> str:
        if self.categories is not None:
            rule = f"{self.feature} in {_set_text(self.categories)} (missing: {self.missing})"
        elif math.isinf(self.threshold):
            rule = f"{self.feature} is not missing"
        else:
            rule = f"{self.feature} <= {self.threshold:.6g} (missing: {self.missing})"
        return f"{rule}, gain {self.gain:.4g}, weight {self.weight:.6g}"


@dataclass(frozen=True)
class Leaf:
    """A leaf: ``intercept + sum of slope * feature``, kept between low and high.

    Attributes
    ----------
    node : int
        Number of the node in its tree.
    depth : int
        Number of splits above it.
    leaf : int
        Number of the leaf among the leaves of its tree.
    weight : float
        Sum of the weights of the training rows.
    intercept : float
        Output where all regressors are 0, in the user's units.
    slopes : dict of str to float
        Change of the output when a feature, or a mean of its categories, grows by 1, in the
        user's units. A missing value counts as the mean of its feature.
    low, high : float
        The output never leaves this range; infinite with ``extrapolation="linear"``.
    """

    node: int
    depth: int
    leaf: int
    weight: float
    intercept: float
    slopes: dict[str, float]
    low: float
    high: float

    @property
    def line(self) -> str:
        """The linear model as text."""
        text = f"{self.intercept:.6g}"
        for feature, slope in self.slopes.items():
            text += f" {'-' if slope < 0 else '+'} {abs(slope):.6g} * {feature}"
        return text

    def __str__(self) -> str:
        bounded = bool(self.slopes) and not (math.isinf(self.low) and math.isinf(self.high))
        limits = f", within [{self.low:.6g}, {self.high:.6g}]" if bounded else ""
        return f"leaf {self.leaf}: {self.line}{limits}, weight {self.weight:.6g}"


@dataclass(frozen=True, repr=False)
class Tree:
    """One tree of a model, in the user's units.

    Attributes
    ----------
    index : int
        Number of the tree in its model.
    output : int
        Number of the output that it belongs to; 0 in a model of one output.
    nodes : tuple of Split and Leaf
        All nodes by number; the first is the root.

    Examples
    --------
    >>> import numpy as np
    >>> from plboost import Dataset, train
    >>> X = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> booster = train({"n_estimators": 3, "max_leaves": 2}, Dataset(X, np.abs(X[:, 0] - 0.5)))
    >>> tree = booster.tree(0)
    >>> tree
    Tree(index=0, n_leaves=2, depth=1)
    >>> print(tree)
    tree 0
    x0 <= ... (missing: ...), gain ..., weight 200
    ├─ leaf 0: ... * x0, within [..., ...], weight ...
    └─ leaf 1: ... * x0, within [..., ...], weight ...
    """

    index: int
    nodes: tuple[Split | Leaf, ...]
    output: int = 0

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves, in the order of their numbers."""
        return tuple(node for node in self.nodes if isinstance(node, Leaf))

    @property
    def splits(self) -> tuple[Split, ...]:
        """The inner nodes, in the order of their numbers."""
        return tuple(node for node in self.nodes if isinstance(node, Split))

    @property
    def depth(self) -> int:
        """The largest number of splits on a path from the root to a leaf."""
        return max(node.depth for node in self.nodes)

    def path_to(self, leaf: int) -> list[tuple[Split, Literal["left", "right"]]]:
        """Return the splits from the root to a leaf and the side taken at each.

        Parameters
        ----------
        leaf : int
            Number of the leaf among the leaves of this tree.

        Returns
        -------
        list of (Split, side)
            From the root downwards.
        """
        parents = {}
        for split in self.splits:
            parents[split.left] = (split, "left")
            parents[split.right] = (split, "right")
        path: list[tuple[Split, Literal["left", "right"]]] = []
        node = self.leaves[leaf].node
        while node in parents:
            split, side = parents[node]
            path.append((split, "left" if side == "left" else "right"))
            node = split.node
        return path[::-1]

    def __repr__(self) -> str:
        return f"Tree(index={self.index}, n_leaves={len(self.leaves)}, depth={self.depth})"

    def __str__(self) -> str:
        lines = [f"tree {self.index}"]
        # A stack and not recursion: a tree may be as deep as it has leaves.
        stack: list[tuple[int, str, str]] = [(0, "", "")]
        while stack:
            number, own, below = stack.pop()
            node = self.nodes[number]
            lines.append(f"{own}{node}")
            if isinstance(node, Split):
                stack.append((node.right, f"{below}└─ ", f"{below}   "))
                stack.append((node.left, f"{below}├─ ", f"{below}│  "))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain lists, dicts, strings and numbers that JSON can hold.

        Returns
        -------
        dict
            ``{"index": ..., "output": ..., "nodes": [...]}``.
            None stands for an infinite threshold or limit, and for the threshold of a categorical
            split.
        """
        nodes = [_node_dict(node) for node in self.nodes]
        return {"index": self.index, "output": self.output, "nodes": nodes}


def read_tree(
    index: int,
    arrays: Mapping[str, npt.NDArray[Any]],
    feature_names: Sequence[str],
    categories: Mapping[str, Sequence[Category]],
) -> Tree:
    """Build a readable tree from the arrays of a forest.

    Parameters
    ----------
    index : int
        Number of the tree.
    arrays : mapping of str to ndarray
        What ``_core.Forest.to_arrays`` returns.
    feature_names : sequence of str
        A name for each feature.
    categories : mapping of str to sequence
        The categories of each categorical feature.

    Returns
    -------
    Tree
        The tree in the user's units.
    """
    starts = arrays["tree_node_start"]
    first, last = int(starts[index]), int(starts[index + 1])
    first_leaf = int(np.count_nonzero(arrays["node_feature"][:first] < 0))
    features = arrays["node_feature"][first:last]
    lefts = arrays["node_left"][first:last]
    depths = np.zeros(last - first, dtype=np.int64)
    nodes: list[Split | Leaf] = []
    n_leaves = 0
    for node in range(last - first):
        depth, weight = int(depths[node]), float(arrays["node_weight"][first + node])
        if features[node] < 0:
            line = _leaf_line(first_leaf + n_leaves, arrays, feature_names)
            nodes.append(Leaf(node=node, depth=depth, leaf=n_leaves, weight=weight, **line))
            n_leaves += 1
            continue
        left = int(lefts[node])
        depths[left : left + 2] = depth + 1
        chosen = _left_categories(
            first + node, arrays, categories.get(feature_names[features[node]], ())
        )
        threshold = float(arrays["node_threshold"][first + node])
        nodes.append(
            Split(
                node=node,
                depth=depth,
                feature=feature_names[features[node]],
                threshold=threshold if chosen is None else math.nan,
                missing="left" if arrays["node_missing_left"][first + node] else "right",
                gain=float(arrays["node_gain"][first + node]),
                weight=weight,
                left=left,
                right=left + 1,
                categories=chosen,
            )
        )
    return Tree(index=index, nodes=tuple(nodes), output=index % len(arrays["base_score"]))


def _left_categories(
    node: int, arrays: Mapping[str, npt.NDArray[Any]], categories: Sequence[Category]
) -> tuple[Category, ...] | None:
    """Return the categories that go left at a node; None when it compares numbers."""
    sets = arrays["node_category_set"]
    if not len(sets) or sets[node] < 0:
        return None
    bits = np.unpackbits(arrays["category_set"].reshape(-1, 32)[sets[node]], bitorder="little")
    left = [category for code, category in enumerate(categories) if bits[code]]
    return tuple(sorted(left, key=lambda category: (isinstance(category, str), category)))


def _set_text(categories: Sequence[Category], most: int = 12) -> str:
    shown = ", ".join(str(category) for category in categories[:most])
    more = len(categories) - most
    return f"{{{shown}, and {more} more}}" if more > 0 else f"{{{shown}}}"


def _leaf_line(
    leaf: int, arrays: Mapping[str, npt.NDArray[Any]], feature_names: Sequence[str]
) -> dict[str, Any]:
    """Translate the line of a leaf from standardised units to the user's."""
    start, stop = arrays["leaf_regressor_start"][leaf : leaf + 2]
    features = arrays["regressor_feature"][start:stop]
    slopes = arrays["regressor_slope"][start:stop] / arrays["feature_scale"][features]
    intercept = arrays["leaf_intercept"][leaf] - np.sum(slopes * arrays["feature_mean"][features])
    by_name: dict[str, float] = {}
    for feature, slope in zip(features, slopes, strict=True):
        name = feature_names[feature]
        by_name[name] = by_name.get(name, 0.0) + float(slope)
    return {
        "intercept": float(intercept),
        "slopes": by_name,
        "low": float(arrays["leaf_low"][leaf]),
        "high": float(arrays["leaf_high"][leaf]),
    }


def _node_dict(node: Split | Leaf) -> dict[str, Any]:
    plain = {name: value for name, value in vars(node).items() if name != "slopes"}
    for name, value in plain.items():
        if isinstance(value, float) and not math.isfinite(value):
            plain[name] = None
        elif isinstance(value, tuple):
            plain[name] = list(value)
    if isinstance(node, Leaf):
        plain["slopes"] = dict(node.slopes)
    return {"kind": "leaf" if isinstance(node, Leaf) else "split", **plain}
