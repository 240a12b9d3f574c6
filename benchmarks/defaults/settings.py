"""The settings that are compared, and the tasks they are compared on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["SETTINGS", "TASKS", "Task"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """A set, the largest number of its training rows, and what is done to the targets.

    "above the median" makes two classes of a regression set; "t(2) noise" adds noise of the
    targets' own deviation to the training rows alone.
    """

    data: str
    rows: int
    target: Literal["as it is", "above the median", "t(2) noise"] = "as it is"

    def __str__(self) -> str:
        return f"{self.data} {self.rows}" + (f" {self.target}" * (self.target != "as it is"))

    @property
    def kind(self) -> str:
        """Return the column of the report that it counts for."""
        if self.target == "t(2) noise":
            return self.target
        return "rows > 5000" if self.rows > 5000 else "rows <= 5000"

    def targets(self, y: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return the targets to train on and those to be measured by."""
        if self.target == "above the median":
            y = (y > np.median(y)).astype(np.float64)
        if self.target == "t(2) noise":
            return y + y.std() * rng.standard_t(2, size=len(y)), y
        return y, y


def _tasks(target: Any, *named: tuple[str, int]) -> tuple[Task, ...]:
    return tuple(Task(data, rows, target) for data, rows in named)


# Small data is as common as large data.
TASKS = (
    *_tasks(
        "as it is",
        ("casp", 60_000), ("kin40k", 60_000), ("gas_turbine", 60_000), ("california", 60_000),
        ("energy", 60_000), ("superconductor", 20_000), ("bike", 60_000), ("kc_house", 60_000),
        ("diamonds", 60_000), ("higgs", 60_000), ("log_sgemm", 60_000), ("covtype-2", 60_000),
        ("casp", 3_000), ("california", 3_000), ("kc_house", 3_000), ("bike", 3_000),
        ("higgs", 3_000), ("gas_turbine", 3_000), ("california", 600), ("energy", 600),
        ("higgs", 600),
    ),
    *_tasks(
        "above the median",
        ("california", 600), ("california", 3_000), ("california", 60_000), ("casp", 3_000),
        ("casp", 20_000), ("energy", 3_000), ("energy", 60_000), ("kc_house", 3_000),
        ("bike", 3_000),
    ),
    *_tasks(
        "t(2) noise",
        ("california", 3_000), ("casp", 3_000), ("energy", 3_000), ("kin40k", 3_000),
    ),
)  # fmt: skip

# Parameters of plboost beside its defaults; None: CatBoost's defaults.
SETTINGS: dict[str, dict[str, Any] | None] = {
    "catboost": None,
    "defaults": {},
    "constant leaves": {"max_regressors": 0},
    "slope_shrinkage 0": {"slope_shrinkage": 0.0},
    "slope_shrinkage 0.2": {"slope_shrinkage": 0.2},
    "slope_shrinkage 0.5": {"slope_shrinkage": 0.5},
    "31 leaves": {"max_leaves": 31},
    "64 leaves": {"max_leaves": 64},
    "refit 10": {"repeated": "refit", "max_regressors": 10},
    "l2 1": {"l2": 1.0},
    "min_samples_leaf 5": {"min_samples_leaf": 5},
    "all rows searched": {"split_sample": None},
    "learning_rate 0.05": {"learning_rate": 0.05},
}
