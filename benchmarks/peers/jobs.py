"""The named jobs: what is run, with which settings, and which ratio it is to reach."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from benchmarks.contestants import CONTESTANTS, Settings

__all__ = ["JOBS", "Arm", "Goal", "Job", "jobs_named"]

Measure = Literal["fit", "fit_only", "memory"]
ALL_ROWS = "plboost-all-rows"
PEERS = tuple(name for name in CONTESTANTS if name not in ("plboost", "lightgbm", ALL_ROWS))


@dataclass(frozen=True)
class Arm:
    """One side of a comparison: a contestant under some condition."""

    label: str
    contestant: str
    threads: int | None = None
    """None: as the settings of the job say."""
    busy: int = 0
    """Processes that burn a processor each while the arm runs; -1: one per processor."""


@dataclass(frozen=True)
class Goal:
    """The ratio of an arm's median to that of another, and its limit."""

    arm: str
    base: str
    limit: float
    measure: Measure = "fit"
    at_least: bool = False

    def is_met(self, ratio: float) -> bool:
        return ratio >= self.limit if self.at_least else ratio <= self.limit

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.limit:g}"


@dataclass(frozen=True)
class Job:
    """A row of the table."""

    name: str
    data: str
    settings: Settings
    arms: tuple[Arm, ...]
    goals: tuple[Goal, ...] = ()
    quick_peers: tuple[str, ...] = ()
    """Peers without a goal that take part in a quick run too; a full run has all of them."""
    with_peers: bool = True
    in_quick: bool = True
    note: str = field(default="")

    def arms_of(self, extent: str) -> tuple[Arm, ...]:
        """Return the arms of a "quick" or a "full" run."""
        if not self.with_peers:
            return self.arms
        known = {arm.label for arm in self.arms}
        peers = PEERS if extent == "full" else self.quick_peers
        return self.arms + tuple(Arm(name, name) for name in peers if name not in known)

    def settings_of(self, arm: Arm) -> Settings:
        return self.settings if arm.threads is None else replace(self.settings, threads=arm.threads)


PAIR = (Arm("plboost", "plboost"), Arm("lightgbm", "lightgbm"))
LINEAR = Arm("lightgbm-linear", "lightgbm-linear")


def _against_lightgbm(limit: float, arm: str = "plboost") -> tuple[Goal, ...]:
    return (Goal(arm, "lightgbm", limit),)


def _synthetic(
    name: str, rows: int, bins: int, *, arms: tuple[Arm, ...] = PAIR, **rest: Any
) -> Job:
    settings = Settings(trees=50, leaves=255, bins=bins)
    return Job(name, f"synthetic-{rows}", settings, arms, **rest)


def _all_rows(name: str, rows: int, bins: int, **rest: Any) -> Job:
    arms = (Arm(ALL_ROWS, ALL_ROWS), Arm("lightgbm", "lightgbm"))
    goals = _against_lightgbm(1.3, ALL_ROWS)
    return _synthetic(name, rows, bins, arms=arms, goals=goals, with_peers=False, **rest)


_SMALL = Settings(trees=200, leaves=64)
_MEDIUM = Settings(trees=100, leaves=128)
_MEMORY_GOALS = (
    Goal("plboost", "lightgbm", 1.2, "memory"),
    Goal("plboost", "lightgbm-linear", 0.7, "memory"),
)

_LIST = (
    _synthetic("synthetic-400k-255", 400_000, 255, goals=_against_lightgbm(0.8), quick_peers=PEERS),
    _synthetic("synthetic-400k-63", 400_000, 63, goals=_against_lightgbm(0.9)),
    _all_rows("synthetic-400k-255-all-rows", 400_000, 255),
    _all_rows("synthetic-400k-63-all-rows", 400_000, 63, in_quick=False),
    _synthetic(
        "synthetic-2m-255",
        2_000_000,
        255,
        arms=(*PAIR, LINEAR),
        goals=(*_against_lightgbm(0.8), *_MEMORY_GOALS),
        note="also the row of peak memory",
    ),
    _synthetic("synthetic-2m-63", 2_000_000, 63, goals=_against_lightgbm(0.9), in_quick=False),
    _all_rows("synthetic-2m-255-all-rows", 2_000_000, 255, in_quick=False),
    _all_rows("synthetic-2m-63-all-rows", 2_000_000, 63, in_quick=False),
    Job("casp", "casp", _SMALL, PAIR, _against_lightgbm(1.1), quick_peers=PEERS),
    Job(
        "higgs",
        "higgs",
        replace(_SMALL, loss="log_loss"),
        PAIR,
        _against_lightgbm(1.1),
        quick_peers=PEERS,
    ),
    Job("covtype-2", "covtype-2", replace(_MEDIUM, loss="log_loss"), PAIR, _against_lightgbm(1.3)),
    Job("log_sgemm", "log_sgemm", _MEDIUM, PAIR, _against_lightgbm(1.0)),
    Job(
        "synthetic-10m-63",
        "synthetic-10000000",
        Settings(trees=20, leaves=255, bins=63),
        PAIR,
        (*_against_lightgbm(0.5), Goal("plboost", "lightgbm", 1.2, "memory")),
        with_peers=False,
        in_quick=False,
    ),
    _synthetic(
        "threads",
        400_000,
        255,
        arms=tuple(
            Arm(f"{name}, {n} thread{'s' * (n > 1)}", name, threads=n)
            for name in ("plboost", "lightgbm")
            for n in (1, 2)
        ),
        goals=(Goal("plboost, 1 thread", "plboost, 2 threads", 1.8, at_least=True),),
        with_peers=False,
    ),
    _synthetic(
        "busy-neighbours",
        400_000,
        255,
        arms=tuple(
            Arm(f"{name}, {state}", name, busy=busy)
            for name in ("plboost", "lightgbm")
            for state, busy in (("alone", 0), ("beside busy processes", -1))
        ),
        goals=(Goal("plboost, beside busy processes", "plboost, alone", 2.5),),
        with_peers=False,
        note="one busy process per processor; the fair share is 2",
    ),
)
JOBS: dict[str, Job] = {job.name: job for job in _LIST}


def jobs_named(names: list[str] | None, extent: str) -> list[Job]:
    """Return the jobs of these names, or all of a quick or a full run."""
    if not names:
        return [job for job in JOBS.values() if extent == "full" or job.in_quick]
    unknown = [name for name in names if name not in JOBS]
    if unknown:
        raise ValueError(f"--job must be one of {', '.join(JOBS)}, got {', '.join(unknown)}.")
    return [JOBS[name] for name in names]
