"""Results of the C++ core in the reference's own terms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plboost import _core
from tests.reference.binning import Bins
from tests.reference.grow import LeafModel, Node, Tree
from tests.reference.options import Options


def training_options(options: Options) -> _core.TrainingOptions:
    """Return the same options for the core."""
    fast = _core.TrainingOptions()
    for name, value in vars(options).items():
        if name == "max_depth":
            value = 0 if value is None else value
        setattr(fast, name, value)
    # The reference looks at every row.
    fast.split_sample = 1.0
    fast.split_sample_rows = 0
    return fast


def grow(
    X: NDArray[np.float64],
    weight: NDArray[np.float64],
    g: NDArray[np.float32],
    h: NDArray[np.float32],
    bins: Sequence[Bins],
    options: Options,
    *,
    max_bins: int,
    n_threads: int = 1,
    n_categories: Sequence[int] = (),
    **more: float,
) -> Tree:
    """Grow a tree with the core; its nodes number the rows of positive weight from 0.

    `more` are options that the reference does not have.
    """
    dataset = _core.Dataset(
        X, np.zeros(len(X)), weight, max_bins=max_bins, seed=0, n_threads=n_threads,
        n_categories=list(n_categories),
    )  # fmt: skip
    training = training_options(options)
    for name, value in more.items():
        setattr(training, name, value)
    forest, leaf_of_row = _core.stages.grow_tree(
        dataset, g, h, training, n_rows=len(X), n_threads=n_threads
    )
    return to_reference(forest.to_arrays(), bins, leaf_of_row[weight > 0])


def to_reference(
    arrays: dict[str, NDArray[np.generic]],
    bins: Sequence[Bins],
    leaf_of_row: NDArray[np.int32],
    tree: int = 0,
) -> Tree:
    """Read one tree of the core's arrays; an empty leaf_of_row leaves its nodes without rows."""
    starts = arrays["tree_node_start"]
    first, last = int(starts[tree]), int(starts[tree + 1])
    leaf = int(np.sum(arrays["node_feature"][:first] < 0))
    first_leaf = leaf
    nodes = []
    for at in range(first, last):
        feature = int(arrays["node_feature"][at])
        node = Node(at - first, float(arrays["node_weight"][at]), None, feature=feature)
        if feature < 0:
            node.leaf = leaf_model(arrays, leaf)
            if len(leaf_of_row):
                node.rows = np.flatnonzero(leaf_of_row == leaf - first_leaf)
            leaf += 1
        else:
            node.threshold = cut_of(arrays, at, bins[feature])
            node.missing_left = bool(arrays["node_missing_left"][at])
            node.left = int(arrays["node_left"][at])
            node.right = node.left + 1
            node.gain = float(arrays["node_gain"][at])
        nodes.append(node)
    return Tree(nodes)


def cut_of(arrays: dict[str, NDArray[np.generic]], at: int, bins: Bins) -> int | frozenset[int]:
    """Return what goes left at a node: codes up to a number, or a set of codes."""
    sets = arrays["node_category_set"]
    if not len(sets) or sets[at] < 0:
        return bin_of(float(arrays["node_threshold"][at]), bins)
    bits = np.unpackbits(arrays["category_set"].reshape(-1, 32)[int(sets[at])], bitorder="little")
    return frozenset(int(code) for code in np.flatnonzero(bits[: bins.n_bins]))


def bin_of(threshold: float, bins: Bins) -> int:
    """Return t where the threshold is the upper edge of bin t; the last bin has none."""
    if np.isposinf(threshold):
        return bins.n_bins - 1
    found = np.flatnonzero(bins.edges == threshold)
    assert len(found) == 1, f"threshold {threshold} is not an edge of {bins.edges}"
    return int(found[0])


def leaf_model(arrays: dict[str, NDArray[np.generic]], leaf: int) -> LeafModel:
    """Read one leaf; regressors of slope 0 are not stored."""
    begin, end = (int(at) for at in arrays["leaf_regressor_start"][leaf : leaf + 2])
    return LeafModel(
        regressors=tuple(int(feature) for feature in arrays["regressor_feature"][begin:end]),
        slopes=np.array(arrays["regressor_slope"][begin:end], dtype=np.float64),
        intercept=float(arrays["leaf_intercept"][leaf]),
        low=float(arrays["leaf_low"][leaf]),
        high=float(arrays["leaf_high"][leaf]),
    )
