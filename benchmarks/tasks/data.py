"""The sets with their categories as such, and synthetic codes that may be numbers or categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.data import load

__all__ = ["Parts", "load_parts"]

N_COLUMNS, N_CODES = 10, 64


@dataclass(frozen=True)
class Parts:
    """A training and a test part; frames where there are categories."""

    X_train: Any
    y_train: npt.NDArray[np.float64]
    X_test: Any
    y_test: npt.NDArray[np.float64]
    sizes_train: npt.NDArray[np.intp] | None = None
    sizes_test: npt.NDArray[np.intp] | None = None
    """Rows of each query, of the ranking set."""


def load_parts(
    name: str, *, split: Literal["random", "time"] = "random", max_rows: int | None = None
) -> Parts:
    """Load a set by name; ``codes-<rows>-categories`` and ``codes-<rows>-numbers`` are made."""
    if name.startswith("codes-"):
        _, rows, kind = name.split("-")
        return _codes(min(int(rows), max_rows or int(rows)), as_categories=kind == "categories")
    problem = load(name, split=split, max_rows=max_rows)
    # Classes are counted from 0.
    first = 1.0 if problem.task == "multiclass" else 0.0
    return Parts(
        _with_categories(problem.X_train, problem.feature_names, problem.categorical),
        problem.y_train - first,
        _with_categories(problem.X_test, problem.feature_names, problem.categorical),
        problem.y_test - first,
        _sizes(problem.groups_train),
        _sizes(problem.groups_test),
    )


def _with_categories(X: npt.NDArray[Any], names: list[str], categorical: list[int]) -> Any:
    if not categorical:
        return X
    columns = {name: X[:, j] for j, name in enumerate(names)}
    for j in categorical:
        columns[names[j]] = pd.Categorical(X[:, j])
    return pd.DataFrame(columns)


def _sizes(groups: npt.NDArray[Any] | None) -> npt.NDArray[np.intp] | None:
    if groups is None:
        return None
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    return np.diff(np.r_[starts, len(groups)])


def _codes(n_rows: int, *, as_categories: bool) -> Parts:
    """Draw codes with an effect each that their order does not show."""
    rng = np.random.default_rng(0)
    n_test = n_rows // 4
    codes = rng.integers(N_CODES, size=(n_rows + n_test, N_COLUMNS))
    effects = rng.normal(size=(N_CODES, N_COLUMNS))
    y = np.take_along_axis(effects, codes, axis=0).sum(axis=1) + rng.normal(size=len(codes))
    X = codes.astype(np.float64)
    names = [f"x{j}" for j in range(N_COLUMNS)]
    categorical = list(range(N_COLUMNS)) if as_categories else []
    X_train = _with_categories(X[:n_rows], names, categorical)
    return Parts(X_train, y[:n_rows], _with_categories(X[n_rows:], names, categorical), y[n_rows:])
