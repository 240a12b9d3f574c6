"""A forest written by hand, as the arrays of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plboost import _core

DTYPES = {
    "tree_node_start": np.int64,
    "leaf_regressor_start": np.int64,
    "node_feature": np.int32,
    "node_left": np.int32,
    "regressor_feature": np.int32,
    "node_missing_left": np.uint8,
    "node_category_set": np.int32,
    "category_set": np.uint8,
    "feature_clips": np.uint8,
}


def hand_arrays(**changes: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays of a forest of two features and two trees.

    Feature 0 has mean 0 and deviation 1, feature 1 has 10 and 2.

    Tree 0: x0 <= 0.5, missing left: 1 + 2 u1 within [0, 4]; else x1 <= inf, missing right:
    -1, else 100.
    Tree 1: 0.25 u0 anywhere.
    """
    values: dict[str, Any] = {
        "base_score": [1000.0],
        "feature_mean": [0.0, 10.0],
        "feature_scale": [1.0, 2.0],
        "feature_min": [-3.0, 4.0],
        "feature_max": [3.0, 16.0],
        "tree_node_start": [0, 5, 6],
        "node_feature": [0, -1, 1, -1, -1, -1],
        "node_threshold": [0.5, 0.0, np.inf, 0.0, 0.0, 0.0],
        "node_missing_left": [1, 0, 0, 0, 0, 0],
        "node_left": [1, 0, 3, 0, 0, 0],
        "node_gain": [2.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        "node_weight": [9.0, 5.0, 4.0, 3.0, 1.0, 9.0],
        "leaf_intercept": [1.0, -1.0, 100.0, 0.0],
        "leaf_low": [0.0, -1.0, 100.0, -np.inf],
        "leaf_high": [4.0, -1.0, 100.0, np.inf],
        "leaf_regressor_start": [0, 1, 1, 1, 2],
        "regressor_feature": [1, 0],
        "regressor_slope": [2.0, 0.25],
        "node_category_set": [],
        "category_set": [],
        "feature_clips": [0, 0],
    }
    values.update(changes)
    return {
        name: np.array(value, dtype=DTYPES.get(name, np.float64)) for name, value in values.items()
    }


def hand_forest(loss: str = "squared_error", **changes: Any) -> _core.Forest:
    """Return the forest of hand_arrays, with other arrays where given."""
    return _core.Forest.from_arrays(loss, hand_arrays(**changes))
