"""Appendix D: plboost, Cubist and LightGBM's linear trees, by error and time.

A hundred trees of 32 leaves each, a hundred committees of Cubist. Cubist knows no classes: on a set
with two classes it fits 0 and 1, and all are compared by AUC.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import statistics
import sys
from typing import Any

from benchmarks.leaderboard.estimators import build_of
from benchmarks.leaderboard.runs import Queue, Run, RunLog, add_run_arguments, prepare_folder
from benchmarks.paper.cubist_worker import LEAVES
from benchmarks.paper.protocol import DEFAULT_SETS, PAPER_SETS
from benchmarks.peers.figures import draw_bars
from benchmarks.peers.report import cautions, head
from benchmarks.processes import BusyMachineError, QuietOptions, Work

__all__ = ["main"]

CONTESTANTS = ("plboost", "lightgbm-linear", "cubist")


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper cubist",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sets", nargs="+", choices=PAPER_SETS, default=list(DEFAULT_SETS))
    parser.add_argument("--contestants", nargs="+", choices=CONTESTANTS, default=list(CONTESTANTS))
    parser.add_argument("--trees", type=int, default=100, help="trees and committees (100)")
    parser.add_argument("--repeats", type=int, default=1, help="of which the median time counts")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to wait for quiet")
    parser.add_argument("--force", action="store_true", help="measure on a busy machine too")
    add_run_arguments(parser)
    given = parser.parse_args(words)
    if not 1 <= given.trees <= 100:
        parser.error(f"--trees must be between 1 and 100, which is Cubist's most: {given.trees}.")
    return given


def version_of(name: str) -> str:
    return importlib.metadata.version("cubist") if name == "cubist" else build_of(name)


def planned_runs(given: argparse.Namespace, versions: dict[str, str]) -> list[Run]:
    runs = []
    for repeat in range(given.repeats):
        for data in given.sets:
            for name in given.contestants:
                task: dict[str, Any] = {
                    "data": data,
                    "contestant": name,
                    "trees": given.trees,
                    "max_rows": given.rows,
                    "threads": given.threads,
                }
                work = Work("benchmarks.paper.cubist_worker", task, versions[name], given.threads)
                runs.append(Run(data, name, f"{data}--{name}--{repeat}", work))
    return runs


def outcome(result: dict[str, Any]) -> str:
    if result["failure"]:
        return f"FAILED: {result['failure']}"
    return f"{result['metric_name']} {result['metric']:.5g}, fit {result['fit']:.2f} s"


def table(given: argparse.Namespace, queue: Queue) -> tuple[list[str], dict[str, dict[str, float]]]:
    """Return the rows, and the seconds for the figure."""
    lines = [
        "| set | rows | | test metric | fit, s | / plboost | predict, s |",
        "|---|---|---|---|---|---|---|",
    ]
    bars: dict[str, dict[str, float]] = {}
    for data in given.sets:
        base = float("nan")
        for name in given.contestants:
            names = [f"{data}--{name}--{repeat}" for repeat in range(given.repeats)]
            found = [queue.results[run] for run in names if run in queue.results]
            failed = [result["failure"] for result in found if result["failure"]]
            if failed or not found:
                reason = failed[0] if failed else queue.left_out.get(data, "no run")
                lines.append(f"| {data} | | {name} | failed: {reason} | | | |")
                continue
            fit = statistics.median(result["fit"] for result in found)
            base = fit if name == "plboost" else base
            bars.setdefault(data, {})[name] = fit
            lines.append(
                f"| {data} | {found[0]['n_train']} | {name} "
                f"| {found[0]['metric_name']} {found[0]['metric']:.5g} | {fit:.2f} "
                f"| {fit / base:.1f} "
                f"| {statistics.median(result['predict'] for result in found):.3f} |"
            )
    return lines, bars


def main(words: list[str]) -> int:
    given = arguments(words)
    versions = {name: version_of(name) for name in given.contestants}
    folder = prepare_folder("paper-cubist", given)
    log = RunLog(folder / "runs", QuietOptions(given.patience, given.force))
    queue = Queue(planned_runs(given, versions), log, outcome)
    try:
        queue.work()
    except BusyMachineError as error:
        print(f"no report: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; continue with --resume", file=sys.stderr)
        return 130
    rows, bars = table(given, queue)
    notes = [
        (
            f"{given.trees} trees of {LEAVES} leaves, {given.trees} committees of Cubist, "
            f"everything else at the defaults; {given.threads} threads, Cubist has one; random "
            "80/20 split; two classes by AUC"
        ),
        *cautions(given.rows, given.trees if given.trees < 100 else None, was_busy=log.was_busy),
    ]
    command = "python -m benchmarks.paper " + " ".join(sys.argv[1:])
    libraries = {f"{name} {version}" for name, version in versions.items()}
    lines = ["# Other boosted linear trees: the paper's appendix D", ""]
    lines += [*head(command, libraries, notes), *rows, ""]
    if bars:
        draw_bars(folder / "fit-time.png", bars, "training time, s")
        lines += ["![time](fit-time.png)", ""]
    (folder / "README.md").write_text("\n".join(lines))
    print("\n".join(["", *rows, "", f"written: {folder / 'README.md'}"]))
    return 0
