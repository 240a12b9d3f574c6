"""From measurements to Markdown: metrics, then seconds, then costs."""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.contestants import contestant
from benchmarks.peers.report import cautions, head
from benchmarks.tasks.jobs import COSTS, EQUAL, JOBS, LEVEL
from benchmarks.tasks.metrics import MORE_IS_BETTER
from benchmarks.tasks.worker import Measurement

__all__ = ["CostSeconds", "Results", "write_report"]

Arms = dict[str, list[Measurement]]
OURS, THEIRS, LINEAR = "plboost", "lightgbm", "lightgbm-linear"
PAIRS = (
    (OURS, THEIRS),
    (OURS, LINEAR),
    (f"{OURS}, defaults", f"{THEIRS}, defaults"),
)


@dataclass(frozen=True)
class CostSeconds:
    """Seconds of a tree of the work and of its base, one of each for every repeat."""

    work: list[float]
    base: list[float]


@dataclass
class Results:
    """What all runs told."""

    was_busy: bool
    jobs: dict[str, Arms] = field(default_factory=dict)
    """Job name -> label of the arm -> its repeats."""
    costs: dict[str, dict[str, CostSeconds]] = field(default_factory=dict)
    """Cost name -> contestant -> its seconds."""


def write_report(folder: Path, results: Results, given: argparse.Namespace) -> None:
    """Write README.md into the folder and print it."""
    command = " ".join(["python -m benchmarks.tasks", *sys.argv[1:]])
    libraries = [contestant(name) for name in (OURS, THEIRS)]
    versions = {f"{library.package} {library.version()}" for library in libraries}
    settings = (
        f"equal settings: {EQUAL.trees} rounds (covtype {JOBS['covtype'].trees}), {EQUAL.leaves} "
        f"leaves, rate {EQUAL.rate:g}, {EQUAL.bins} bins; the rest is each library's default"
    )
    notes = [settings, f"categories are native in both libraries; quantile is the level {LEVEL:g}"]
    notes += cautions(given.rows, given.trees, was_busy=False)
    lines = ["# Tasks beyond squared error", "", *head(command, versions, notes)]
    lines += ["## Test metrics", "", *_metric_lines(results.jobs), ""]
    if results.was_busy:
        lines += ["**Other processes were busy: the seconds mean nothing and are left out.**", ""]
    else:
        lines += ["## Seconds of fit", "", *_second_lines(results.jobs, given.repeats), ""]
        lines += ["## Costs", "", *_cost_lines(results.costs), ""]
    text = "\n".join(lines)
    (folder / "README.md").write_text(text)
    print(f"\n{text}\nwritten: {folder / 'README.md'}")


def _metric_lines(jobs: dict[str, Arms]) -> list[str]:
    lines = _table_head(["job", "rows", "metric"])
    n_better = 0
    for name, arms in jobs.items():
        first = arms[OURS][0]
        for metric in JOBS[name].metrics:
            # A model does not depend on the repeat.
            values = {label: repeats[0].metrics[metric] for label, repeats in arms.items()}
            more = metric in MORE_IS_BETTER
            cells = _cells(values, "{:.5g}", more_is_better=more)
            lines.append(f"| {name} | {first.n_rows} + {first.n_test} | {metric} {cells}")
            if metric == JOBS[name].metrics[0]:
                n_better += (values[OURS] > values[THEIRS]) == more
    words = (
        f"With equal settings plboost is better than LightGBM in {n_better} of {len(jobs)} jobs by "
        "the first metric of each. Ratios are plboost / LightGBM, bold where plboost is worse; "
        "of ndcg more is better."
    )
    return [words, "", *lines]


def _second_lines(jobs: dict[str, Arms], repeats: int) -> list[str]:
    words = (
        f"With the preparation of the data; medians of {repeats}; linear trees and defaults once. "
        "Ratios are plboost / LightGBM, bold where plboost is slower. plboost has 500 rounds by "
        "default, LightGBM 100."
    )
    lines = [words, "", *_table_head(["job"])]
    for name, arms in jobs.items():
        medians = {
            label: statistics.median(run.fit for run in runs) for label, runs in arms.items()
        }
        lines.append(f"| {name} {_cells(medians, '{:.3f}', more_is_better=False)}")
    return lines


def _table_head(names: list[str]) -> list[str]:
    defaults = [*PAIRS[-1], "ratio"]
    names = [*names, OURS, THEIRS, "ratio", LINEAR, "ratio", *defaults]
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def _cells(values: dict[str, float], pattern: str, *, more_is_better: bool) -> str:
    """Return the cells of the three pairs; ours is not repeated beside LightGBM's linear trees."""
    cells = []
    for ours, theirs in PAIRS:
        if theirs != LINEAR:
            cells.append(pattern.format(values[ours]))
        if theirs not in values:
            cells += ["", ""]
            continue
        ratio = values[ours] / values[theirs]
        is_worse = ratio < 1 if more_is_better else ratio > 1
        mark = "**" if is_worse else ""
        cells += [pattern.format(values[theirs]), f"{mark}{ratio:.3f}{mark}"]
    return f"| {' | '.join(cells)} |"


def _cost_lines(costs: dict[str, dict[str, CostSeconds]]) -> list[str]:
    lines = [
        "Training without the preparation of the data, median seconds of a tree.",
        "",
        "| pair | | ms | base, ms | ratio | goal | met |",
        "|---|---|---|---|---|---|---|",
    ]
    for cost in COSTS:
        for name, seconds in costs.get(cost.name, {}).items():
            work, base = statistics.median(seconds.work), statistics.median(seconds.base)
            goal, met = "", ""
            if name == OURS:
                goal = f"<= {cost.limit:g}"
                met = "yes" if work / base <= cost.limit else "**no**"
            lines.append(
                f"| {cost.name} | {name} | {1e3 * work:.2f} | {1e3 * base:.2f} "
                f"| {work / base:.2f} | {goal} | {met} |"
            )
    return lines
