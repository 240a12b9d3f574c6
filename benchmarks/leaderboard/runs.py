"""Many runs, one process each: failures are kept as results, and the time left is estimated."""

from __future__ import annotations

import argparse
import faulthandler
import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import DataNotFoundError
from benchmarks.leaderboard.pace import Timings, duration_text, expected_seconds
from benchmarks.processes import BusyMachineError, ProcessRunner, Work

__all__ = [
    "Queue",
    "Run",
    "RunLog",
    "add_run_arguments",
    "forbid_longer_than",
    "prepare_folder",
]

RESULTS = Path(__file__).resolve().parents[1] / "results"


@dataclass(frozen=True)
class Run:
    """One run of one contestant on one set."""

    data: str
    contestant: str
    name: str
    """Letters, digits, "-" and "_": also the name of the file."""
    work: Work
    size: float = 1.0
    """Expected work relative to other runs of the same contestant on the same set."""
    round: int = 0
    """A limit of time is checked between rounds only."""


class RunLog(ProcessRunner):
    """Keeps what went wrong as a result: a failure counts, it is not repeated until it passes."""

    def is_stored(self, run: Run) -> bool:
        path = self.folder / f"{run.name}.json"
        key = json.loads(json.dumps(run.work.key))
        return path.exists() and json.loads(path.read_text())["key"] == key

    def _run_undisturbed(self, name: str, work: Work) -> tuple[dict[str, Any], float]:
        start = time.monotonic()
        try:
            result, load = super()._run_undisturbed(name, work)
        except (BusyMachineError, DataNotFoundError):
            raise
        except RuntimeError as error:
            result, load = {"failure": _short(str(error))}, 0.0
        return result | {"wall": time.monotonic() - start}, load


def _short(message: str) -> str:
    if "Timeout (" in message:
        return "stopped: longer than the limit of " + message.split("Timeout (")[1].split(")")[0]
    first, _, rest = message.partition(". The end of its messages:")
    last = rest.strip().rpartition("\n")[2]
    return f"{first}: {last}" if last else first


def forbid_longer_than(seconds: float) -> None:
    """End this process after so long, also when it is inside a library that never returns."""
    faulthandler.dump_traceback_later(seconds, exit=True)


class Queue:
    """Works through runs in order and tells how far it is."""

    def __init__(
        self, runs: Sequence[Run], log: RunLog, outcome: Callable[[dict[str, Any]], str]
    ) -> None:
        self.runs = list(runs)
        self.log = log
        self.outcome = outcome
        self.results: dict[str, dict[str, Any]] = {}
        self.left_out: dict[str, str] = {}
        """Sets that are not on this machine, with the reason."""
        self.timings: Timings = {}

    def work(self, budget: float | None = None) -> None:
        """Run what is not stored; ``budget`` seconds end it between two rounds."""
        kept = {run.name for run in self.runs if self.log.is_stored(run)}
        if kept:
            print(f"{len(kept)} of {len(self.runs)} runs are kept", flush=True)
            for run in self.runs:
                if run.name in kept:
                    self._take(run)
        start, round_ = time.monotonic(), None
        for i, run in enumerate(self.runs):
            if run.name in kept or run.data in self.left_out:
                continue
            pending = [r for r in self.runs[i:] if r.name not in kept]
            if budget is not None and run.round != round_:
                ahead = [r for r in pending if r.round == run.round]
                if time.monotonic() - start + self._seconds(ahead) > budget:
                    print(f"no time for round {run.round + 1}: the budget is spent", flush=True)
                    return
            round_ = run.round
            try:
                self._take(run)
            except DataNotFoundError as error:
                self.left_out[run.data] = str(error)
                print(f"{run.data} left out: {error}", flush=True)
                continue
            left = self._seconds(pending[1:])
            print(
                f"[{i + 1:>4}/{len(self.runs)}] {run.name:<52} "
                f"{self.outcome(self.results[run.name]):<34} "
                f"{self.results[run.name]['wall']:7.1f} s, about {duration_text(left)} left",
                flush=True,
            )

    def _take(self, run: Run) -> None:
        result = self.log.run(run.name, run.work)
        self.results[run.name] = result
        seconds = self.timings.setdefault((run.data, run.contestant), [])
        seconds.append(result["wall"] / run.size)

    def _seconds(self, runs: Sequence[Run]) -> float:
        if not self.timings:
            return 0.0
        pairs = {(run.data, run.contestant) for run in runs if run.data not in self.left_out}
        units = {pair: expected_seconds(self.timings, *pair) for pair in pairs}
        return sum(units.get((run.data, run.contestant), 0.0) * run.size for run in runs)


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the long benchmarks understand."""
    parser.add_argument("--rows", type=int, help="at most so many training rows: a dry run")
    parser.add_argument("--threads", type=int, default=2, help="threads of every contestant (2)")
    parser.add_argument("--name", help="folder below benchmarks/results")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--resume", action="store_true", help="keep the runs that are there")
    kept.add_argument("--restart", action="store_true", help="remove the runs that are there")


def prepare_folder(name: str, given: argparse.Namespace) -> Path:
    """Return the folder of the report; runs of an earlier night are not removed unasked."""
    folder = RESULTS / (given.name or name)
    runs = folder / "runs"
    n_runs = len(list(runs.glob("*.json")))
    if n_runs and given.restart:
        shutil.rmtree(runs)
    elif n_runs and not given.resume:
        raise SystemExit(
            f"{runs} holds {n_runs} runs. Use --resume to keep those of the same build and "
            "settings, --restart to remove them, or --name for another folder."
        )
    return folder
