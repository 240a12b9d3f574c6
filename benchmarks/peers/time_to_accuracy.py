"""The time plboost needs for the test metric of a peer.

A peer trains 500 trees; its best test metric, and the time at which it had it, are the mark. The
ratio is the time at which plboost first reaches that metric over the peer's time, both with the
preparation of the data. Also draws the metric by time (paper Figure 5) and by tree (Figure 4).
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.contestants import Settings, contestant
from benchmarks.data import SETS, DataNotFoundError
from benchmarks.peers.figures import Curve, draw_curves
from benchmarks.peers.report import cautions, head
from benchmarks.peers.tracing import TRACED, Trace
from benchmarks.peers.worker import Task
from benchmarks.processes import (
    BusyMachineError,
    ProcessRunner,
    Work,
    add_arguments,
    alternated,
    open_runs,
)

RESULTS = Path(__file__).resolve().parents[1] / "results"
DEFAULT_SETS = ("casp", "kin40k", "gas_turbine", "california", "energy", "log_sgemm", "higgs")
SETTINGS = Settings(trees=500, leaves=64, bins=255, rate=0.1)
GOAL_MEAN, GOAL_WORST = 0.30, 0.6

Traces = dict[str, dict[str, Trace]]
"""Set -> contestant -> its trace."""


@dataclass(frozen=True)
class Row:
    """One set against one peer."""

    peer_metric: float
    peer_trees: int
    peer_seconds: float
    peer_end: float
    trees: int | None
    seconds: float | None

    @property
    def ratio(self) -> float:
        """Infinite when plboost never gets there."""
        return math.inf if self.seconds is None else self.seconds / self.peer_seconds


def compare(ours: Trace, peer: Trace) -> Row:
    """Find the peer's best tree, and our first tree that is as good."""
    best = min(range(len(peer.metrics)), key=peer.metrics.__getitem__)
    mark = peer.metrics[best]
    first = next((i for i, metric in enumerate(ours.metrics) if metric <= mark), None)
    return Row(
        peer_metric=mark,
        peer_trees=best + 1,
        peer_seconds=peer.seconds[best],
        peer_end=peer.seconds[-1],
        trees=None if first is None else first + 1,
        seconds=None if first is None else ours.seconds[first],
    )


def geometric_mean(values: list[float]) -> float:
    return math.exp(statistics.fmean(math.log(value) for value in values))


def merge(repeats: list[Trace]) -> Trace:
    """Take the median time of each tree; the metrics of repeats are the same."""
    seconds = [
        statistics.median(column) for column in zip(*(t.seconds for t in repeats), strict=True)
    ]
    return replace(repeats[0], seconds=seconds)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers.time_to_accuracy", description=__doc__
    )
    parser.add_argument("--sets", nargs="+", choices=sorted(SETS), default=list(DEFAULT_SETS))
    parser.add_argument("--peers", nargs="+", choices=sorted(TRACED), default=["lightgbm"])
    parser.add_argument("--full", action="store_true", help="all peers, five repeats")
    add_arguments(parser)
    return parser.parse_args()


def collect(given: argparse.Namespace, processes: ProcessRunner) -> Traces:
    """Trace every contestant on every set that is on this machine."""
    everybody = [name for name in TRACED if name != "plboost-all-rows"]
    names = everybody if given.full else list(dict.fromkeys(["plboost", *given.peers]))
    traces: Traces = {}
    for data in given.sets:
        try:
            traces[data] = trace_set(given, processes, data, names)
        except DataNotFoundError as error:
            print(f"{data} left out: {error}", file=sys.stderr)
    return traces


def trace_set(
    given: argparse.Namespace, processes: ProcessRunner, data: str, names: list[str]
) -> dict[str, Trace]:
    """Trace the contestants alternately and several times on one set."""
    repeats = given.repeats or (5 if given.full else 3)
    loss = "log_loss" if SETS[data].task == "binary" else "squared_error"
    trees = min(SETTINGS.trees, given.trees or SETTINGS.trees)
    settings = replace(SETTINGS, loss=loss, trees=trees, threads=given.threads)
    found: dict[str, list[Trace]] = {name: [] for name in names}
    for repeat, name in alternated(names, repeats):
        work = Work(
            module="benchmarks.peers.tracing",
            task=asdict(Task(data, name, asdict(settings), max_rows=given.rows)),
            version=contestant(name).version(),
            threads=given.threads,
        )
        trace = Trace(**processes.run(f"{data}--{name}--{repeat}", work))
        found[name].append(trace)
        print(
            f"{data:<14} {name:<24} {repeat + 1}/{repeats}  {trace.seconds[-1]:8.3f} s"
            f"  best test {trace.metric_name} {min(trace.metrics):.5g}",
            flush=True,
        )
    return {name: merge(several) for name, several in found.items()}


def table(traces: Traces, peer: str) -> list[str]:
    """Return the rows of one peer, with the geometric mean below them."""
    lines = [
        f"| set | best of {peer} | its trees | its s | s at its end | our trees | our s | ratio |",
        "|---|---|---|---|---|---|---|---|",
    ]
    ratios = []
    for data, found in traces.items():
        row = compare(found["plboost"], found[peer])
        ratios.append(row.ratio)
        reached = "never | never" if row.seconds is None else f"{row.trees} | {row.seconds:.3f}"
        lines.append(
            f"| {data} | {row.peer_metric:.5g} | {row.peer_trees} | {row.peer_seconds:.3f} "
            f"| {row.peer_end:.3f} | {reached} | {row.ratio:.3f} |"
        )
    lines.append(f"| geometric mean | | | | | | | {geometric_mean(ratios):.3f} |")
    lines.append(f"| worst | | | | | | | {max(ratios):.3f} |")
    return lines


def write_report(folder: Path, traces: Traces, notes: list[str]) -> None:
    s = SETTINGS
    names = list(next(iter(traces.values())))
    versions = {f"{name} {found[name].version}" for found in traces.values() for name in found}
    command = "python -m benchmarks.peers.time_to_accuracy " + " ".join(sys.argv[1:])
    lines = ["# Time to the accuracy of a peer", ""]
    lines += head(command.strip(), versions, notes)
    lines.append(
        f"{s.trees} trees, {s.leaves} leaves, {s.bins} bins, rate {s.rate:g}; seconds with the "
        "preparation of the data, without evaluation. Goal against LightGBM: geometric mean "
        f"<= {GOAL_MEAN:.2f}, none above {GOAL_WORST:g}.\n"
    )
    for peer in names[1:]:
        rows = table(traces, peer)
        lines += [f"## Against {peer}", "", *rows, ""]
        print("\n".join(["", *rows]))
    y_labels = {data: found["plboost"].metric_name for data, found in traces.items()}
    for file, x_label in (("metric-by-time.png", "seconds"), ("metric-by-tree.png", "trees")):
        panels = {
            data: [
                Curve(
                    name,
                    t.seconds if x_label == "seconds" else range(1, len(t.metrics) + 1),
                    t.metrics,
                )
                for name, t in found.items()
            ]
            for data, found in traces.items()
        }
        draw_curves(folder / file, panels, x_label, y_labels)
        lines += [f"![test metric by {x_label}]({file})", ""]
    (folder / "README.md").write_text("\n".join(lines))
    print(f"\nwritten: {folder / 'README.md'}")


def main() -> int:
    given = arguments()
    folder = RESULTS / (given.name or f"time-to-accuracy-{'full' if given.full else 'quick'}")
    processes = open_runs(folder, given)
    try:
        traces = collect(given, processes)
    except BusyMachineError as error:
        print(f"no report: {error}", file=sys.stderr)
        return 1
    if not traces:
        print("no report: none of the sets is on this machine. Set PLBOOST_DATA.", file=sys.stderr)
        return 2
    notes = ["median time of each tree over the repeats"]
    notes += cautions(given.rows, given.trees, was_busy=processes.was_busy)
    write_report(folder, traces, notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
