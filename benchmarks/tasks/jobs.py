"""The named jobs: which set, which loss, which metrics; and the pairs whose cost is compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from benchmarks.contestants import Settings

__all__ = ["COSTS", "JOBS", "Arm", "Cost", "Job", "Workload"]


@dataclass(frozen=True)
class Arm:
    """A contestant, with the settings of the job or as it comes."""

    contestant: str
    is_default: bool = False

    @property
    def label(self) -> str:
        return f"{self.contestant}, defaults" if self.is_default else self.contestant


@dataclass(frozen=True)
class Job:
    """A set, a loss, and what is measured on the test rows, the main metric first."""

    name: str
    data: str
    loss: str
    metrics: tuple[str, ...]
    trees: int = 200
    split: Literal["random", "time"] = "random"
    alpha: float | None = None

    @property
    def settings(self) -> Settings:
        return replace(EQUAL, loss=self.loss, trees=self.trees)

    @property
    def repeated_arms(self) -> tuple[Arm, ...]:
        return Arm("plboost"), Arm("lightgbm")

    @property
    def single_arms(self) -> tuple[Arm, ...]:
        """Return what is run once: its metric is of more interest than its time."""
        defaults = (Arm("plboost", is_default=True), Arm("lightgbm", is_default=True))
        # LightGBM has no linear trees for this loss.
        return defaults if self.loss == "absolute_error" else (Arm("lightgbm-linear"), *defaults)


@dataclass(frozen=True)
class Workload:
    """What a side of a cost pair trains."""

    label: str
    data: str
    loss: str
    n_outputs: int = 1


@dataclass(frozen=True)
class Cost:
    """Training seconds of a tree of one workload over those of another, and the limit."""

    name: str
    work: Workload
    base: Workload
    limit: float
    contestants: tuple[str, ...]
    settings: Settings


EQUAL = Settings(trees=200, leaves=64, bins=255, rate=0.1)
"""What both libraries are told, except in the rows of their defaults."""
LEVEL = 0.9


def _prices(data: str) -> tuple[Job, ...]:
    return (
        Job(data, data, "squared_error", ("rmse",)),
        Job(f"{data}-absolute-error", data, "absolute_error", ("mae",)),
        Job(f"{data}-quantile", data, "quantile", ("pinball",), alpha=LEVEL),
        Job(f"{data}-gamma", data, "gamma", ("gamma_deviance", "rmse")),
    )


_RANKS = ("ndcg@10", "ndcg@5")
_LIST = (
    Job("covtype", "covtype", "log_loss", ("log_loss", "error"), trees=100),
    Job("lambdarank", "lambdarank", "lambdarank", _RANKS),
    Job("listnet", "lambdarank", "listnet", _RANKS),
    Job("beijing_air", "beijing_air", "squared_error", ("rmse",)),
    Job("beijing_air-last-fifth", "beijing_air", "squared_error", ("rmse",), split="time"),
    *_prices("diamonds"),
    *_prices("kc_house"),
    Job("bike-poisson", "bike", "poisson", ("poisson_deviance", "rmse")),
)
JOBS: dict[str, Job] = {job.name: job for job in _LIST}

COSTS = (
    Cost(
        "seven classes / two classes, a tree of covtype",
        Workload("7-classes", "covtype", "log_loss", n_outputs=7),
        Workload("2-classes", "covtype-2", "log_loss"),
        limit=1.0,
        contestants=("plboost",),
        settings=replace(EQUAL, trees=20),
    ),
    Cost(
        "ten columns of 64 codes as categories / as numbers",
        Workload("categories", "codes-400000-categories", "squared_error"),
        Workload("numbers", "codes-400000-numbers", "squared_error"),
        limit=1.5,
        contestants=("plboost", "lightgbm"),
        settings=replace(EQUAL, trees=50),
    ),
)
