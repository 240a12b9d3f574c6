"""Rank plboost and its peers by test error over many sets.

``defaults``: every library as a user gets it from its scikit-learn estimator. ``packaged``: the
same on tables of a package, on which nothing was chosen. ``tuned``: after a random search of the
same number of seconds for everybody. Accuracy does not depend on how busy the machine is, so
nothing is refused; the seconds are indicative only.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from benchmarks.data import SETS
from benchmarks.leaderboard.estimators import ESTIMATORS, build_of
from benchmarks.leaderboard.report import Board, write_report
from benchmarks.leaderboard.runs import Queue, Run, RunLog, add_run_arguments, prepare_folder
from benchmarks.packaged_data import UNSEEN
from benchmarks.processes import QuietOptions, Work

DEFAULT_SETS = (
    "casp",
    "log_sgemm",
    "sgemm",
    "superconductor",
    "energy",
    "higgs",
    "covtype-2",
    "beijing_air",
    "gas_turbine",
    "california",
    "diamonds",
    "bike",
    "kc_house",
    "kin40k",
)
PAPER_SETS = ("casp", "sgemm", "superconductor", "energy", "higgs")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.leaderboard",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("board", choices=["defaults", "packaged", "tuned"])
    known = sorted(name for name, set_ in SETS.items() if set_.task in ("regression", "binary"))
    parser.add_argument(
        "--sets",
        nargs="+",
        choices=known,
        help="default: all local ones; packaged: the unseen; tuned: the paper's",
    )
    parser.add_argument("--contestants", nargs="+", choices=list(ESTIMATORS))
    parser.add_argument("--seeds", type=int, help="of split and library: 5; packaged: 3; tuned: 2")
    parser.add_argument(
        "--budget", type=float, default=120.0, help="seconds of search, tuned only (120)"
    )
    add_run_arguments(parser)
    given = parser.parse_args()
    sets = {"defaults": DEFAULT_SETS, "packaged": tuple(UNSEEN), "tuned": PAPER_SETS}
    given.sets = given.sets or list(sets[given.board])
    # In the order of the table, whatever the order on the command line.
    given.contestants = [n for n in ESTIMATORS if n in (given.contestants or ESTIMATORS)]
    seeds = {"defaults": 5, "packaged": 3, "tuned": 2}[given.board]
    given.seeds = given.seeds or seeds
    # Whether the goals may be judged by it.
    given.is_whole = (
        not given.rows
        and given.seeds >= seeds
        and len(given.contestants) == len(ESTIMATORS)
        and set(sets[given.board]) <= set(given.sets)
    )
    if given.seeds < 1 or len(given.contestants) < 2:
        parser.error(
            f"a ranking needs two contestants and a seed, got {len(given.contestants)} "
            f"contestants and --seeds {given.seeds}."
        )
    return given


def planned_runs(given: argparse.Namespace, builds: dict[str, str]) -> list[Run]:
    """Return all runs, a whole round of every set and contestant for each seed."""
    runs = []
    for seed in range(given.seeds):
        for data in given.sets:
            for name in given.contestants:
                task: dict[str, Any] = {
                    "data": data,
                    "contestant": name,
                    "seed": seed,
                    "max_rows": given.rows,
                    "threads": given.threads,
                }
                module = "benchmarks.leaderboard.defaults_worker"
                if given.board == "tuned":
                    task["budget"] = given.budget
                    module = "benchmarks.leaderboard.search"
                work = Work(module, task, builds[name], given.threads)
                runs.append(Run(data, name, f"{data}--{name}--{seed}", work))
    return runs


def outcome(result: dict[str, Any]) -> str:
    if result["failure"]:
        return f"FAILED: {result['failure']}"
    return f"{result['metric_name']} {result['metric']:.6g}"


def lost_sets(queue: Queue) -> dict[str, str]:
    """Return the sets with a seed on which every contestant crashed: nothing is known of them."""
    crashed: dict[tuple[str, int], list[bool]] = {}
    for run in queue.runs:
        if run.name in queue.results:
            key = (run.data, run.work.task["seed"])
            crashed.setdefault(key, []).append("baseline" not in queue.results[run.name])
    return {data: "every contestant crashed" for (data, _), all_ in crashed.items() if all(all_)}


def main() -> int:
    given = arguments()
    builds = {name: build_of(name) for name in given.contestants}
    folder = prepare_folder(f"leaderboard-{given.board}", given)
    log = RunLog(folder / "runs", QuietOptions(force=True))
    queue = Queue(planned_runs(given, builds), log, outcome)
    try:
        queue.work()
    except KeyboardInterrupt:
        print("\nstopped; continue with --resume", file=sys.stderr)
        return 130
    left_out = queue.left_out | lost_sets(queue)
    sets = [data for data in given.sets if data not in left_out]
    if not sets:
        print(f"no report: no set could be run: {left_out}. Set PLBOOST_DATA.", file=sys.stderr)
        return 2
    board = Board(given, sets, builds, queue.results, left_out)
    write_report(folder, board)
    return 0


if __name__ == "__main__":
    sys.exit(main())
