"""Measure plboost and its peers: ``python -m benchmarks.peers --help``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.data import DataNotFoundError
from benchmarks.peers.jobs import JOBS, jobs_named
from benchmarks.peers.report import write_report
from benchmarks.peers.runner import Extent, JobRunner
from benchmarks.processes import BusyMachineError, add_arguments, open_runs

RESULTS = Path(__file__).resolve().parents[1] / "results"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description=__doc__, epilog=f"jobs: {', '.join(JOBS)}"
    )
    parser.add_argument("--job", action="append", help="run this job; may be repeated")
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--quick", dest="extent", action="store_const", const="quick")
    extent.add_argument("--full", dest="extent", action="store_const", const="full")
    parser.set_defaults(extent="quick")
    parser.add_argument(
        "--table", choices=["speed"], default="speed", help="which table to make; there is one"
    )
    parser.add_argument(
        "--contestants", nargs="+", metavar="ARM", help="leave out all arms but these"
    )
    add_arguments(parser)
    return parser.parse_args()


def main() -> int:
    given = arguments()
    jobs = jobs_named(given.job, given.extent)
    folder = RESULTS / (
        given.name or ("-".join(given.job) if given.job else f"speed-{given.extent}")
    )
    extent = Extent(given.repeats or (5 if given.extent == "full" else 3), given.rows, given.trees)
    processes = open_runs(folder, given)
    runner = JobRunner(processes, extent)
    results = {}
    failure = 0
    for job in jobs:
        job = replace(job, settings=replace(job.settings, threads=given.threads))
        arms = job.arms_of(given.extent)
        if given.contestants:
            arms = tuple(arm for arm in arms if arm.label in given.contestants)
        try:
            results[job.name] = runner.run_job(job, arms)
        except BusyMachineError as error:
            print(f"no report: {error}", file=sys.stderr)
            return 1
        except DataNotFoundError as error:
            print(f"{job.name} left out: {error}", file=sys.stderr)
            failure = 2
    command = "python -m benchmarks.peers " + " ".join(sys.argv[1:])
    write_report(folder, results, extent, command.strip(), was_busy=processes.was_busy)
    return failure


if __name__ == "__main__":
    sys.exit(main())
