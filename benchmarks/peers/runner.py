"""Runs the arms of a job alternately and several times."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass, replace

import psutil

from benchmarks.contestants import contestant
from benchmarks.peers.jobs import Arm, Job
from benchmarks.peers.worker import Measurement, Task
from benchmarks.processes import ProcessRunner, Work, alternated

__all__ = ["Extent", "JobRunner", "median"]


@dataclass(frozen=True)
class Extent:
    """How much to run; the limits make a dry run."""

    repeats: int
    max_rows: int | None = None
    max_trees: int | None = None

    @property
    def is_dry(self) -> bool:
        return self.max_rows is not None or self.max_trees is not None


class JobRunner:
    """Turns jobs into processes."""

    def __init__(self, processes: ProcessRunner, extent: Extent) -> None:
        self.processes = processes
        self.extent = extent

    def run_job(self, job: Job, arms: tuple[Arm, ...]) -> dict[str, list[Measurement]]:
        """Run all arms of a job, one after another, and that several times."""
        results: dict[str, list[Measurement]] = {arm.label: [] for arm in arms}
        for repeat, arm in alternated(arms, self.extent.repeats):
            result = self._run(job, arm, repeat)
            results[arm.label].append(result)
            print(
                f"{job.name:<28} {arm.label:<32} {repeat + 1}/{self.extent.repeats}"
                f"  fit {result.fit:8.3f} s  predict {result.predict:7.4f} s"
                f"  memory {result.memory / 2**20:7.0f} MiB"
                f"  {result.metric_name} {result.metric:.5g}",
                flush=True,
            )
        return results

    def _run(self, job: Job, arm: Arm, repeat: int) -> Measurement:
        settings = job.settings_of(arm)
        if self.extent.max_trees is not None:
            settings = replace(settings, trees=min(settings.trees, self.extent.max_trees))
        task = Task(job.data, arm.contestant, asdict(settings), max_rows=self.extent.max_rows)
        work = Work(
            module="benchmarks.peers.worker",
            task=asdict(task),
            version=contestant(arm.contestant).version(),
            threads=settings.threads,
            n_busy=len(psutil.Process().cpu_affinity()) if arm.busy < 0 else arm.busy,
        )
        return Measurement(**self.processes.run(f"{job.name}--{arm.label}--{repeat}", work))


def median(results: list[Measurement], measure: str) -> float:
    """Return the median of an attribute over repeats."""
    return float(statistics.median(getattr(result, measure) for result in results))
