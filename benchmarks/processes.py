"""Runs one piece of work at a time in a process of its own, and only on a quiet machine.

Every result is kept in a file: a stop loses one run at most, and a run that has its file is not
repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.data import DataNotFoundError
from benchmarks.machine import CpuClock, busiest_processes, foreign_load

__all__ = [
    "BusyMachineError",
    "ProcessRunner",
    "QuietOptions",
    "Work",
    "add_arguments",
    "alternated",
    "open_runs",
]

Arm = TypeVar("Arm")

ROOT = Path(__file__).resolve().parents[1]
# Processors that others may keep busy: a desktop's clock and a shell, not a compiler.
LARGEST_FOREIGN_LOAD = 0.1
ATTEMPTS = 3


class BusyMachineError(RuntimeError):
    """Another process took part of the machine, so the times mean nothing."""


@dataclass(frozen=True)
class QuietOptions:
    """What to do when the machine is busy."""

    patience: float = 60.0
    """Seconds to wait for a quiet machine."""
    force: bool = False
    """Measure on a busy machine too; the report says so."""


@dataclass(frozen=True)
class Work:
    """A module that reads a task as JSON from stdin and prints its result as the last line."""

    module: str
    task: Mapping[str, Any]
    version: str
    """Of the library under test: a stored result of another version is not taken."""
    threads: int
    n_busy: int = 0
    """Processes that burn a processor each meanwhile."""
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> dict[str, Any]:
        return {
            "module": self.module,
            "task": dict(self.task),
            "version": self.version,
            "n_busy": self.n_busy,
            "environment": dict(self.environment),
        }


class ProcessRunner:
    """Runs work and stores results as ``folder/<name>.json``."""

    def __init__(self, folder: Path, options: QuietOptions) -> None:
        self.folder = folder
        self.options = options
        self.was_busy = False
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, name: str, work: Work) -> dict[str, Any]:
        """Run the work, or read what an earlier call found for the same.

        What was found on a busy machine is found again, unless busy machines are allowed.
        """
        safe = "".join(c if c.isalnum() or c == "-" else "_" for c in name)
        path = self.folder / f"{safe}.json"
        # Through JSON and back: tuples and lists are the same there.
        key = json.loads(json.dumps(work.key))
        if path.exists():
            stored = json.loads(path.read_text())
            disturbed = stored["foreign_load"] > LARGEST_FOREIGN_LOAD
            if stored["key"] == key and (self.options.force or not disturbed):
                self.was_busy |= disturbed
                return dict(stored["result"])
        result, load = self._run_undisturbed(name, work)
        content = {"key": key, "foreign_load": load, "result": result}
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps(content, indent=1))
        temporary.replace(path)
        return result

    def _run_undisturbed(self, name: str, work: Work) -> tuple[dict[str, Any], float]:
        load = 0.0
        for _ in range(ATTEMPTS):
            self._wait_for_quiet()
            before = CpuClock.read()
            with _busy_processes(work.n_busy):
                result = _run_process(name, work)
            load = CpuClock.read().foreign_since(before)
            if load <= LARGEST_FOREIGN_LOAD or self.options.force:
                self.was_busy |= load > LARGEST_FOREIGN_LOAD
                return result, load
        raise BusyMachineError(
            f"other processes kept {load:.2f} processors busy during each of {ATTEMPTS} runs of "
            f"{name}; at most {LARGEST_FOREIGN_LOAD:g} is allowed. Stop them and continue with "
            "--resume, or use --force for figures without meaning."
        )

    def _wait_for_quiet(self) -> None:
        deadline = time.monotonic() + self.options.patience
        while not self.options.force:
            load = foreign_load()
            if load <= LARGEST_FOREIGN_LOAD:
                return
            if time.monotonic() > deadline:
                raise BusyMachineError(
                    f"other processes keep {load:.2f} processors busy; at most "
                    f"{LARGEST_FOREIGN_LOAD:g} is allowed. The busiest: "
                    f"{', '.join(busiest_processes()) or 'not visible from here'}. Stop them and "
                    "continue with --resume, or use --force for figures without meaning."
                )


def alternated(arms: Sequence[Arm], repeats: int) -> Iterator[tuple[int, Arm]]:
    """Yield every arm so many times, with the number of the round.

    Every other round goes backwards: no arm always follows the same neighbour.
    """
    for repeat in range(repeats):
        for arm in arms if repeat % 2 == 0 else reversed(arms):
            yield repeat, arm


def _run_process(name: str, work: Work) -> dict[str, Any]:
    threads = {"OMP_NUM_THREADS": str(work.threads), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", work.module],
        input=json.dumps(work.task),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **threads, **work.environment},
        check=False,
    )
    reason = done.stderr.strip().rpartition("\n")[2]
    if DataNotFoundError.__name__ in reason:
        raise DataNotFoundError(reason.partition(": ")[2])
    if done.returncode != 0:
        raise RuntimeError(
            f"{name} failed with exit code {done.returncode}. The end of its messages:\n"
            + done.stderr[-4000:]
        )
    return dict(json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def _busy_processes(n: int) -> Iterator[None]:
    # They end with the benchmark, however that ends.
    spin = "import os; parent = os.getppid()\nwhile os.getppid() == parent: pass"
    command = [sys.executable, "-c", spin]
    processes = [subprocess.Popen(command) for _ in range(n)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every benchmark command understands."""
    parser.add_argument("--repeats", type=int, help="runs of each arm, of which the median counts")
    parser.add_argument("--rows", type=int, help="at most so many training rows: a dry run")
    parser.add_argument("--trees", type=int, help="at most so many trees: a dry run")
    parser.add_argument("--threads", type=int, default=2, help="threads of every contestant (2)")
    parser.add_argument("--name", help="folder below benchmarks/results")
    parser.add_argument("--resume", action="store_true", help="keep the runs that are there")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to wait for quiet")
    parser.add_argument("--force", action="store_true", help="measure on a busy machine too")


def open_runs(folder: Path, given: argparse.Namespace) -> ProcessRunner:
    """Return the runner of a report's folder; earlier runs are removed unless they are resumed."""
    runs = folder / "runs"
    if runs.exists() and not given.resume:
        shutil.rmtree(runs)
    return ProcessRunner(runs, QuietOptions(given.patience, given.force))
