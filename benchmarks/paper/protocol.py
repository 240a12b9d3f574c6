"""The paper's comparison (section 6 and appendix E, Table 2): grids, choice on validation, test.

Every setting of every library is trained on four fifths of the training part and again on all of
it. The setting and the tree that are best on the last fifth are the honest choice, for plboost and
for its peers. Beside it stands what the paper reports for the peers: their best test metric over
all settings and trees. ``--full`` takes the paper's grids, days of work; the default takes 16
settings of each library, about ten hours on two processors.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from benchmarks.leaderboard.estimators import build_of
from benchmarks.leaderboard.runs import Queue, Run, RunLog, add_run_arguments, prepare_folder
from benchmarks.paper.grids import LIBRARIES, relative_work, settings_of, trees_of
from benchmarks.paper.protocol_report import write_report
from benchmarks.processes import QuietOptions, Work

__all__ = ["main"]

DEFAULT_SETS = ("casp", "sgemm", "superconductor", "energy", "higgs")
PAPER_SETS = (*DEFAULT_SETS, "year", "ct", "hepmass", "susy", "epsilon", "full_higgs")


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper protocol",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sets", nargs="+", choices=PAPER_SETS, default=list(DEFAULT_SETS))
    parser.add_argument("--contestants", nargs="+", choices=list(LIBRARIES))
    parser.add_argument("--full", action="store_true", help="the paper's whole grids: days")
    parser.add_argument("--settings", type=int, help="at most so many settings of each library")
    parser.add_argument("--trees", type=int, help="at most so many trees: a dry run")
    parser.add_argument("--seed", type=int, default=0, help="of the split and the libraries (0)")
    parser.add_argument(
        "--budget-minutes",
        type=float,
        help="begin no further round, one setting of every library on every set, that would end "
        "later than this",
    )
    add_run_arguments(parser)
    given = parser.parse_args(words)
    given.contestants = [n for n in LIBRARIES if n in (given.contestants or LIBRARIES)]
    return given


def planned_runs(given: argparse.Namespace, builds: dict[str, str]) -> list[Run]:
    """Return the runs round by round: the i-th setting of every library on every set."""
    runs = []
    for data in given.sets:
        for name in given.contestants:
            library = LIBRARIES[name]
            settings = settings_of(library, data, full=given.full)[: given.settings]
            for i, setting in enumerate(settings):
                trees = min(trees_of(library, setting), given.trees or 10**9)
                task: dict[str, Any] = {
                    "data": data,
                    "library": name,
                    "setting": setting,
                    "trees": trees,
                    "seed": given.seed,
                    "max_rows": given.rows,
                    "threads": given.threads,
                }
                work = Work("benchmarks.paper.protocol_worker", task, builds[name], given.threads)
                label = f"{data}--{name}--{i:03}"
                size = relative_work(library, setting, trees)
                runs.append(Run(data, name, label, work, size, round=i))
    return sorted(runs, key=lambda run: run.round)


def outcome(result: dict[str, Any]) -> str:
    if result["failure"]:
        return f"FAILED: {result['failure']}"
    return f"test {result['metric_name']} {result['honest_whole']:.5g} at {result['trees']} trees"


def main(words: list[str]) -> int:
    given = arguments(words)
    builds = {name: build_of(LIBRARIES[name].trainer) for name in given.contestants}
    folder = prepare_folder("paper-protocol-full" if given.full else "paper-protocol", given)
    log = RunLog(folder / "runs", QuietOptions(force=True))
    queue = Queue(planned_runs(given, builds), log, outcome)
    budget = None if given.budget_minutes is None else 60 * given.budget_minutes
    try:
        queue.work(budget)
    except KeyboardInterrupt:
        print("\nstopped; continue with --resume", file=sys.stderr)
        return 130
    write_report(folder, given, builds, queue)
    return 0
