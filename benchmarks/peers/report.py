"""From measurements to Markdown: the goals first, then every job in full."""

from __future__ import annotations

import datetime
from pathlib import Path

from benchmarks.machine import describe
from benchmarks.peers.figures import draw_fit_times
from benchmarks.peers.jobs import JOBS
from benchmarks.peers.runner import Extent, median
from benchmarks.peers.worker import Measurement

__all__ = ["Results", "cautions", "head", "show_report", "write_report"]

RESULTS = Path(__file__).resolve().parents[1] / "results"

Results = dict[str, dict[str, list[Measurement]]]
"""Job name -> label of the arm -> its repeats."""


def head(command: str, versions: set[str], notes: list[str]) -> list[str]:
    """Return the lines that say what was run where."""
    lines = [f"`{command}`, {datetime.date.today().isoformat()}", ""]
    lines += [f"- {name}: {value}" for name, value in describe().items()]
    lines += [f"- libraries: {', '.join(sorted(versions))}"]
    return lines + [f"- {note}" for note in notes] + [""]


def cautions(max_rows: int | None, max_trees: int | None, *, was_busy: bool) -> list[str]:
    """Return why the figures of a report are not to be quoted."""
    found = []
    if was_busy:
        found.append("**other processes were busy: these figures mean nothing**")
    if max_rows or max_trees:
        found.append(f"**dry run**: at most {max_rows or 'all'} rows, {max_trees or 'all'} trees")
    return found


def show_report(text: str, name: str | None) -> None:
    """Print a report and, if it has a name, keep it in the folder of that name."""
    print("\n" + text)
    if name:
        path = RESULTS / name / "README.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write_report(
    folder: Path, results: Results, extent: Extent, command: str, *, was_busy: bool
) -> Path:
    """Write README.md and the figures into the folder and print the goals."""
    # A job of which every arm was left out has nothing to tell.
    results = {name: arms for name, arms in results.items() if arms}
    notes = [f"medians of {extent.repeats}; ratios within this run; memory is the growth in fit"]
    notes += cautions(extent.max_rows, extent.max_trees, was_busy=was_busy)
    everything = [repeats[0] for arms in results.values() for repeats in arms.values()]
    versions = {f"{result.package} {result.version}" for result in everything}
    goals = _goal_table(results, counts=not was_busy and not extent.is_dry)
    lines = ["# Speed of plboost and its peers", "", *head(command, versions, notes)]
    lines += ["## Goals", "", *goals, ""]
    for name, arms in results.items():
        lines += [f"## {name}", "", *_job_table(name, arms), ""]
    figure = draw_fit_times(folder, results)
    lines += [f"![fit time relative to LightGBM]({figure.name})", ""]
    path = folder / "README.md"
    path.write_text("\n".join(lines))
    print("\n".join(["", *goals, "", f"written: {path}"]))
    return path


def _goal_table(results: Results, *, counts: bool) -> list[str]:
    lines = ["| job | measure | arm / base | goal | ratio | met |", "|---|---|---|---|---|---|"]
    for name, arms in results.items():
        for goal in JOBS[name].goals:
            if goal.arm not in arms or goal.base not in arms:
                continue
            ratio = median(arms[goal.arm], goal.measure) / median(arms[goal.base], goal.measure)
            verdict = ("yes" if goal.is_met(ratio) else "**no**") if counts else "not valid"
            pair = f"{goal.arm} / {goal.base}"
            lines.append(f"| {name} | {goal.measure} | {pair} | {goal} | {ratio:.2f} | {verdict} |")
    return lines


def _job_table(name: str, arms: dict[str, list[Measurement]]) -> list[str]:
    job = JOBS[name]
    s = job.settings
    first = next(iter(arms.values()))[0]
    title = (
        f"{job.data}, {first.n_rows} x {first.n_features}; {s.trees} trees, {s.leaves} leaves, "
        f"{s.bins} bins, rate {s.rate:g}, {s.threads} threads"
        + (f"; {job.note}" if job.note else "")
    )
    lines = [
        title,
        "",
        (
            f"| | fit, s | / LightGBM | range, s | without preparation, s | predict, µs/row "
            f"| memory, MiB | / LightGBM | test {first.metric_name} |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    base = arms.get("lightgbm")
    for label, repeats in arms.items():
        fit, memory = median(repeats, "fit"), median(repeats, "memory")
        low, high = min(r.fit for r in repeats), max(r.fit for r in repeats)
        relative_fit = f"{fit / median(base, 'fit'):.2f}" if base else ""
        relative_memory = f"{memory / median(base, 'memory'):.2f}" if base else ""
        lines.append(
            f"| {label} | {fit:.3f} | {relative_fit} | {low:.3f}-{high:.3f} "
            f"| {median(repeats, 'fit_only'):.3f} "
            f"| {1e6 * median(repeats, 'predict') / repeats[0].n_test:.3f} "
            f"| {memory / 2**20:.0f} | {relative_memory} | {median(repeats, 'metric'):.5g} |"
        )
    return lines
