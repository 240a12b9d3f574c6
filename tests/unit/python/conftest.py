from __future__ import annotations

import numpy as np
import pytest

from plboost import Booster, Dataset, train


def smooth_problem(n_rows: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(loc=[0.0, 100.0, -5.0], scale=[1.0, 10.0, 0.01], size=(n_rows, 3))
    y = np.sin(2 * X[:, 0]) + 0.1 * X[:, 1] + rng.normal(scale=0.05, size=n_rows)
    return X, y


@pytest.fixture
def problem() -> tuple[np.ndarray, np.ndarray]:
    return smooth_problem()


@pytest.fixture(scope="session")
def booster() -> Booster:
    """Train a model with missing values, names and a history."""
    X, y = smooth_problem()
    X[::7, 0] = np.nan
    X[3, 1] = np.inf
    dataset = Dataset(X, y, feature_names=["angle", "load", "tiny"])
    return train(
        {"n_estimators": 6, "max_leaves": 6}, dataset, eval_sets={"a": (X, y), "b": (X[:9], y[:9])}
    )
