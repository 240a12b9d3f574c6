"""What the random search draws from: one space per library, under the library's own names.

The ranges of leaves, rate, rows of a leaf and ridge are the same where the libraries mean the same;
rows and columns are sampled where a library can. Every search begins with the library's defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

__all__ = ["FIRST", "FIXED", "SPACES", "Among", "Between", "draw"]


@dataclass(frozen=True)
class Between:
    """A number between two bounds, both included, even on its scale."""

    low: float
    high: float
    scale: Literal["linear", "log"] = "log"
    kind: Literal["real", "integer"] = "real"

    def draw(self, rng: np.random.Generator) -> float | int:
        if self.scale == "linear":
            value = rng.uniform(self.low, self.high)
        else:
            value = np.exp(rng.uniform(np.log(self.low), np.log(self.high)))
        return round(value) if self.kind == "integer" else float(value)


@dataclass(frozen=True)
class Among:
    """One of some values."""

    values: tuple[Any, ...]

    def draw(self, rng: np.random.Generator) -> Any:
        return self.values[rng.integers(len(self.values))]


Space = Mapping[str, Between | Among]
LEAVES = Between(8, 256, kind="integer")
RATE = Between(0.02, 0.3)
ROWS_OF_LEAF = Between(2, 100, kind="integer")
RIDGE = Between(1e-3, 100)
SHARE = Between(0.4, 1.0, "linear")

_LIGHTGBM: Space = {
    "num_leaves": LEAVES,
    "learning_rate": RATE,
    "min_data_in_leaf": ROWS_OF_LEAF,
    "lambda_l2": RIDGE,
    "feature_fraction": SHARE,
    "bagging_fraction": SHARE,
}
SPACES: dict[str, Space] = {
    "plboost": {
        "max_leaves": LEAVES,
        "learning_rate": RATE,
        "min_samples_leaf": ROWS_OF_LEAF,
        "l2": RIDGE,
        "max_regressors": Among((1, 3, 5, 10)),
        "colsample_bytree": SHARE,
        "subsample": SHARE,
    },
    "lightgbm": _LIGHTGBM,
    "lightgbm-linear": {**_LIGHTGBM, "linear_lambda": RIDGE},
    "xgboost": {
        "max_leaves": LEAVES,
        "eta": RATE,
        # A row weighs 1, and at most 1/4 with log loss.
        "min_child_weight": Between(0.5, 100),
        "lambda": RIDGE,
        "colsample_bytree": SHARE,
        "subsample": SHARE,
    },
    "catboost": {
        # Its symmetric trees have 2^depth leaves, of which many hold the same rows.
        "depth": Between(3, 10, "linear", "integer"),
        "learning_rate": RATE,
        "l2_leaf_reg": RIDGE,
        "rsm": SHARE,
        "subsample": SHARE,
    },
    "hist-gradient-boosting": {
        "max_leaf_nodes": LEAVES,
        "learning_rate": RATE,
        "min_samples_leaf": ROWS_OF_LEAF,
        "l2_regularization": RIDGE,
        "max_features": SHARE,
    },
    # Its one dial; it chooses the rest itself.
    "perpetual": {"budget": Between(0.1, 2.0)},
}
# What a drawn setting needs besides.
FIXED: dict[str, dict[str, Any]] = {
    "lightgbm": {"bagging_freq": 1},
    "lightgbm-linear": {"bagging_freq": 1},
    "xgboost": {"grow_policy": "lossguide", "max_depth": 0},
}
# Where a library's own rate depends on the number of trees, which changes between search and refit:
# that of large data and its own number of trees.
FIRST: dict[str, dict[str, Any]] = {
    "catboost": {"learning_rate": 0.1},
    "plboost": {"learning_rate": 0.07},
}


def draw(name: str, trial: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return the setting of a trial: the defaults first, then random ones."""
    if trial == 0:
        return dict(FIRST.get(name, {}))
    values = {parameter: space.draw(rng) for parameter, space in SPACES[name].items()}
    return values | FIXED.get(name, {})
