"""The paper's ladder of speed-ups (Figure 3), its Table 1, its Table 2 and its appendix D.

``protocol`` (Table 2) and ``cubist`` (appendix D) have options of their own: ask them with --help.

The ladder starts like the paper's: row order (a leaf has the numbers of its rows and fetches codes
and gradients by them, the paper's Algorithm 2), fully corrective fitting, and kernels that any
processor runs. Then come, one by one, the widest vectors, leaf order (Algorithm 3), the partition
by bit masks and permutations in place of a loop, half-additive fitting and, beyond the paper, the
sampled split search. The first four rungs give the same model, bit for bit. Unlike the paper's,
even the first one has four features in a word and eight lanes in a vector type.

Table 1 compares all features in every leaf (a), features of the path (b) and half-additive fitting
(c) at 255 bins and 256 leaves, with the split search on all rows as in the paper.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path
from typing import Any

from benchmarks.contestants import contestant
from benchmarks.data import SETS
from benchmarks.paper import cubist, protocol
from benchmarks.paper.steps import LADDER, LARGE, TABLE_1, Step
from benchmarks.peers.figures import draw_bars
from benchmarks.peers.report import cautions, head
from benchmarks.processes import (
    BusyMachineError,
    ProcessRunner,
    Work,
    add_arguments,
    open_runs,
)

RESULTS = Path(__file__).resolve().parents[1] / "results"
OWN_COMMANDS = {"protocol": protocol.main, "cubist": cubist.main}
# Seconds, AUC and speed-up of the paper's Table 1 (full HIGGS, 2 x Xeon E5-2690 v3).
PAPER_TABLE_1 = ((8443.75, 0.859, 1.0), (574.88, 0.856, 14.7), (405.07, 0.854, 20.8))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("experiment", choices=["ladder", "table1", *OWN_COMMANDS])
    parser.add_argument(
        "--sets",
        nargs="+",
        choices=[*sorted(SETS), LARGE],
        help=f"higgs, and for the ladder {LARGE}",
    )
    parser.add_argument("--full", action="store_true", help="the paper's 500 trees, five repeats")
    add_arguments(parser)
    given = parser.parse_args()
    given.sets = given.sets or ["higgs", LARGE][: 2 if given.experiment == "ladder" else 1]
    return given


def collect(
    given: argparse.Namespace, processes: ProcessRunner, data: str, steps: tuple[Step, ...]
) -> list[dict[str, Any]]:
    """Run the steps alternately; return the last result of each with the median of its times."""
    bins = 63 if given.experiment == "ladder" else 255
    trees = given.trees or (500 if given.full else 50)
    repeats = given.repeats or (5 if given.full else 1)
    found: list[list[dict[str, Any]]] = [[] for _ in steps]
    for repeat in range(repeats):
        for step, results in zip(steps, found, strict=True):
            shape = {"n_estimators": trees, "max_leaves": 256}
            task = {
                "data": data,
                "max_rows": given.rows,
                "threads": given.threads,
                "bins": bins,
                "parameters": shape | step.parameters,
            }
            work = Work(
                module="benchmarks.paper.worker",
                task=task,
                version=contestant("plboost").version(),
                threads=given.threads,
                environment=step.environment,
            )
            result = processes.run(f"{data}--{step.label}--{repeat}", work)
            results.append(result)
            print(
                f"{data:<14} {step.label:<44} {repeat + 1}/{repeats}  {result['seconds']:9.3f} s"
                f"  {result['metric_name']} {result['metric']:.5g}  {result['kernels']}",
                flush=True,
            )
    return [
        results[-1] | {"seconds": statistics.median(r["seconds"] for r in results)}
        for results in found
    ]


def table(steps: tuple[Step, ...], rows: list[dict[str, Any]], data: str) -> list[str]:
    """Return a Markdown table; Table 1 with the paper's figures beside ours."""
    beside = steps is TABLE_1 and data in ("higgs", "full_higgs")
    lines = [
        "| setting | kernels | s | speed-up | test metric | AUC |"
        + (" paper s | paper AUC | paper speed-up |" if beside else ""),
        "|---|---|---|---|---|---|" + ("---|---|---|" if beside else ""),
    ]
    for i, (step, row) in enumerate(zip(steps, rows, strict=True)):
        auc = f"{row['auc']:.4f}" if "auc" in row else ""
        lines.append(
            f"| {step.label} | {row['kernels']} | {row['seconds']:.3f} "
            f"| {rows[0]['seconds'] / row['seconds']:.1f} "
            f"| {row['metric_name']} {row['metric']:.5g} | {auc} |"
            + (" {:.2f} | {:.3f} | {:.1f} |".format(*PAPER_TABLE_1[i]) if beside else "")
        )
    return lines


def main() -> int:
    if sys.argv[1:] and sys.argv[1] in OWN_COMMANDS:
        return OWN_COMMANDS[sys.argv[1]](sys.argv[2:])
    given = arguments()
    steps = LADDER if given.experiment == "ladder" else TABLE_1
    folder = RESULTS / (given.name or f"paper-{given.experiment}")
    processes = open_runs(folder, given)
    bars: dict[str, dict[str, float]] = {}
    body: list[str] = []
    for data in given.sets:
        try:
            rows = collect(given, processes, data, steps)
        except BusyMachineError as error:
            print(f"no report: {error}", file=sys.stderr)
            return 1
        lines = table(steps, rows, data)
        print("\n".join(["", *lines, ""]))
        body += [f"## {data}", "", *lines, ""]
        bars[data] = {step.label: row["seconds"] for step, row in zip(steps, rows, strict=True)}
    figure = folder / f"{given.experiment}.png"
    draw_bars(figure, bars, "training time, s")
    notes = cautions(given.rows, given.trees, was_busy=processes.was_busy)
    if given.experiment == "ladder":
        notes.append("each rung keeps those above it; the first four give the same model")
    command = "python -m benchmarks.paper " + " ".join(sys.argv[1:])
    version = {f"plboost {contestant('plboost').version()}"}
    title = "The paper's " + ("Figure 3" if given.experiment == "ladder" else "Table 1")
    lines = [f"# {title}", "", *head(command, version, notes), *body, f"![time]({figure.name})", ""]
    (folder / "README.md").write_text("\n".join(lines))
    print(f"written: {folder / 'README.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
