"""Measure plboost and LightGBM on classes, ranks, categories and other losses.

Each job is run with equal settings, several times and alternately, and once with the defaults of
both libraries and with LightGBM's linear trees. Then the costs: a tree of many classes, and columns
of categories.
``python -m benchmarks.tasks --help``.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks.contestants import contestant
from benchmarks.data import DataNotFoundError
from benchmarks.leaderboard.estimators import build_of
from benchmarks.processes import (
    BusyMachineError,
    ProcessRunner,
    Work,
    add_arguments,
    alternated,
    open_runs,
)
from benchmarks.tasks.cost_worker import CostTask
from benchmarks.tasks.jobs import COSTS, JOBS, Arm, Cost, Job
from benchmarks.tasks.report import CostSeconds, Results, write_report
from benchmarks.tasks.worker import Measurement, Task

RESULTS = Path(__file__).resolve().parents[1] / "results"
COSTS_NAME = "costs"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tasks", description=__doc__)
    parser.add_argument(
        "--job",
        nargs="+",
        choices=[*JOBS, COSTS_NAME],
        default=[*JOBS, COSTS_NAME],
        metavar="JOB",
        help=f"leave out all but these: {', '.join([*JOBS, COSTS_NAME])}",
    )
    add_arguments(parser)
    parser.set_defaults(repeats=3)
    return parser.parse_args()


def run_job(
    given: argparse.Namespace, processes: ProcessRunner, job: Job
) -> dict[str, list[Measurement]]:
    """Run the two libraries alternately with equal settings, and the other arms once."""
    order = [*alternated(job.repeated_arms, given.repeats), *alternated(job.single_arms, 1)]
    results: dict[str, list[Measurement]] = {arm.label: [] for _, arm in order}
    for repeat, arm in order:
        name = f"{job.name}--{arm.label}--{repeat}"
        result = Measurement(**processes.run(name, _work(given, job, arm)))
        results[arm.label].append(result)
        values = "  ".join(f"{metric} {value:.5g}" for metric, value in result.metrics.items())
        print(f"{job.name:<24} {arm.label:<20} fit {result.fit:8.3f} s  {values}", flush=True)
    return results


def _work(given: argparse.Namespace, job: Job, arm: Arm) -> Work:
    task = Task(
        asdict(job),
        arm.contestant,
        None if arm.is_default else asdict(replace(job.settings, threads=given.threads)),
        given.threads,
        given.rows,
        given.trees,
    )
    return Work(
        module="benchmarks.tasks.worker",
        task=asdict(task),
        version=build_of(arm.contestant),
        threads=given.threads,
    )


def run_cost(
    given: argparse.Namespace, processes: ProcessRunner, cost: Cost
) -> dict[str, CostSeconds]:
    """Return the seconds of each contestant for a tree of either workload."""
    trees = min(cost.settings.trees, given.trees or cost.settings.trees)
    settings = replace(cost.settings, trees=trees, threads=given.threads)
    arms = [(name, side) for name in cost.contestants for side in (cost.work, cost.base)]
    found: dict[str, CostSeconds] = {name: CostSeconds([], []) for name in cost.contestants}
    for repeat, (name, side) in alternated(arms, given.repeats):
        task = CostTask(side.data, name, asdict(replace(settings, loss=side.loss)), given.rows)
        work = Work(
            "benchmarks.tasks.cost_worker", asdict(task), contestant(name).version(), given.threads
        )
        seconds = processes.run(f"cost--{side.label}--{name}--{repeat}", work)["seconds"]
        seconds /= trees * side.n_outputs
        (found[name].work if side is cost.work else found[name].base).append(seconds)
        print(f"{side.label:<24} {name:<20} {1e3 * seconds:8.2f} ms a tree", flush=True)
    return found


def main() -> int:
    given = arguments()
    folder = RESULTS / (given.name or "tasks")
    processes = open_runs(folder, given)
    results = Results(was_busy=False)
    failure = 0
    for name in given.job:
        try:
            if name == COSTS_NAME:
                results.costs = {cost.name: run_cost(given, processes, cost) for cost in COSTS}
            else:
                results.jobs[name] = run_job(given, processes, JOBS[name])
        except BusyMachineError as error:
            print(f"no report: {error}", file=sys.stderr)
            return 1
        except DataNotFoundError as error:
            print(f"{name} left out: {error}", file=sys.stderr)
            failure = 2
    results.was_busy = processes.was_busy
    write_report(folder, results, given)
    return failure


if __name__ == "__main__":
    sys.exit(main())
