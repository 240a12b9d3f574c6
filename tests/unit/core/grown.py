"""One tree of the core, grown from gradients given by hand, in terms that tests can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plboost import _core
from tests.rounds import train_rounds

# What a test leaves out does not constrain the tree.
LOOSE: dict[str, Any] = {
    "min_samples_leaf": 1.0,
    "min_hessian": 0.0,
    "l2": 0.0,
    "l2_slopes": 0.0,
    "split_sample": 1.0,
    "split_sample_rows": 0,
}


def options(**values: Any) -> _core.TrainingOptions:
    """Return the core's options: LOOSE, then the given ones."""
    result = _core.TrainingOptions()
    for name, value in {**LOOSE, **values}.items():
        setattr(result, name, value)
    return result


def dataset(
    X: object, weight: object = None, *, y: object = None, max_bins: int = 255, seed: int = 0
) -> _core.Dataset:
    """Build the core's data set from anything like a matrix; one column may be given as a list."""
    matrix = np.asarray(X, dtype=np.float64)
    matrix = matrix.reshape(len(matrix), -1)
    targets = np.zeros(len(matrix)) if y is None else np.asarray(y, dtype=np.float64)
    weights = None if weight is None else np.asarray(weight, dtype=np.float64)
    return _core.Dataset(matrix, targets, weights, max_bins=max_bins, seed=seed, n_threads=1)


@dataclass(frozen=True)
class Line:
    """A leaf's model in standardised units."""

    intercept: float
    slopes: dict[int, float]
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree; the lists are by node."""

    forest: _core.Forest
    leaf_of_row: NDArray[np.int32]
    feature: list[int]
    threshold: list[float]
    missing_left: list[bool]
    left: list[int]
    gain: list[float]
    weight: list[float]
    leaves: list[Line]

    @property
    def depth(self) -> int:
        """The largest number of splits above a leaf."""
        depths = [0] * len(self.feature)
        for node, child in enumerate(self.left):
            if self.feature[node] >= 0:
                depths[child] = depths[child + 1] = depths[node] + 1
        return max(depths)


def read_tree(forest: _core.Forest, leaf_of_row: NDArray[np.int32]) -> Grown:
    """Read the only tree of a forest."""
    arrays = forest.to_arrays()
    starts = arrays["leaf_regressor_start"]
    leaves = []
    for i in range(len(starts) - 1):
        part = slice(int(starts[i]), int(starts[i + 1]))
        features = arrays["regressor_feature"][part].tolist()
        slopes = arrays["regressor_slope"][part].tolist()
        leaves.append(
            Line(
                float(arrays["leaf_intercept"][i]),
                dict(zip(features, slopes, strict=True)),
                float(arrays["leaf_low"][i]),
                float(arrays["leaf_high"][i]),
            )
        )
    return Grown(
        forest,
        leaf_of_row,
        arrays["node_feature"].tolist(),
        arrays["node_threshold"].tolist(),
        [bool(side) for side in arrays["node_missing_left"]],
        arrays["node_left"].tolist(),
        arrays["node_gain"].tolist(),
        arrays["node_weight"].tolist(),
        leaves,
    )


def train(
    data: _core.Dataset,
    *,
    n_rounds: int,
    learning_rate: float = 0.1,
    n_threads: int = 1,
    **values: Any,
) -> dict[str, NDArray[np.generic]]:
    """Train a forest with the core and return its arrays."""
    forest = train_rounds(
        data,
        options(**values),
        n_rounds=n_rounds,
        learning_rate=learning_rate,
        n_threads=n_threads,
    )
    return forest.to_arrays()


def all_bytes(arrays: dict[str, NDArray[np.generic]]) -> bytes:
    """Return everything that a forest is made of: equal bytes, equal forests."""
    return b"".join(name.encode() + arrays[name].tobytes() for name in sorted(arrays))


def grow(
    X: object,
    g: Sequence[float] | NDArray[np.floating],
    h: Sequence[float] | NDArray[np.floating] | None = None,
    weight: object = None,
    *,
    n_threads: int = 1,
    **values: Any,
) -> Grown:
    """Grow one tree; h is the weight of a row (or 1) where it is not given."""
    n = len(g)
    if h is None:
        h = np.ones(n) if weight is None else np.asarray(weight)
    forest, leaf_of_row = _core.stages.grow_tree(
        dataset(X, weight),
        np.asarray(g, dtype=np.float32),
        np.asarray(h, dtype=np.float32),
        options(**values),
        n_rows=n,
        n_threads=n_threads,
    )
    return read_tree(forest, leaf_of_row)
