"""From the runs of the protocol to Markdown: one table per set, the paper's figures beside."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

from benchmarks.data import SETS
from benchmarks.leaderboard.pace import duration_text
from benchmarks.leaderboard.runs import Queue, Run
from benchmarks.leaderboard.selection import is_better
from benchmarks.paper.grids import LIBRARIES, paper_result
from benchmarks.paper.protocol_choice import Choice, better_of, choose
from benchmarks.peers.report import head

__all__ = ["write_report"]

OURS = "plboost"
# Where plboost is to beat even the peers' best test iteration; elsewhere their honest choice.
AGAINST_BEST_TEST = frozenset({"casp", "sgemm", "higgs"})


def write_report(
    folder: Path, given: argparse.Namespace, builds: dict[str, str], queue: Queue
) -> None:
    """Write README.md and print the goals."""
    body: list[str] = []
    goals = [
        "| set | plboost | plboost, four fifths | to beat | best peer | met | met, four fifths |",
        "|---|---|---|---|---|---|---|",
    ]
    for data in given.sets:
        runs = _complete_rounds([run for run in queue.runs if run.data == data], queue)
        body += [f"## {data}", ""]
        if not runs:
            body += [f"No runs: {queue.left_out.get(data, 'no round was finished')}.", ""]
            continue
        metric = "auc" if SETS[data].task == "binary" else "rmse"
        of = {name: [r for r in runs if r.contestant == name] for name in given.contestants}
        choices = {
            name: choose({run.name: queue.results[run.name] for run in several}, metric)
            for name, several in of.items()
        }
        body += [*_table(data, metric, choices, of, queue), ""]
        goals += _goal(data, metric, choices, is_dry=_is_dry(given))
    command = "python -m benchmarks.paper " + " ".join(sys.argv[1:])
    versions = {f"{LIBRARIES[name].trainer} {build}" for name, build in builds.items()}
    lines = ["# The paper's Table 2", "", *head(command, versions, _notes(given))]
    lines += ["## Goals", "", *goals, "", *body]
    (folder / "README.md").write_text("\n".join(lines))
    print("\n".join(["", *goals, "", f"written: {folder / 'README.md'}"]))


def _complete_rounds(runs: list[Run], queue: Queue) -> list[Run]:
    """Leave out the rounds that not every library has finished: all get as many settings."""
    missing = (run.round for run in runs if run.name not in queue.results)
    first_missing = min(missing, default=math.inf)
    return [run for run in runs if run.round < first_missing]


def _notes(given: argparse.Namespace) -> list[str]:
    notes = [
        (
            f"random split of the paper's sizes with seed {given.seed} (higgs: 54 422 rows of "
            "HIGGS, 80/20, and the paper's figure of the whole set beside); plain target of sgemm; "
            "numbers of trees as in appendix E; RMSE, or AUC for two classes"
        ),
        (
            "*honest*: setting and number of trees chosen on a fifth of the training part, then "
            "trained on the whole of it; *four fifths*: the same model without that last training, "
            "as the paper has it for GBDT-PL; *best test*: best of all trees of all settings on "
            "the test part, which is what the paper reports for the peers and no choice at all"
        ),
        "seconds are indicative only: the machine need not have been quiet",
    ]
    if not given.full:
        notes.append("thinned grids: all sizes, hessians and ridges at 255 bins and rate 0.1")
    if given.settings:
        notes.append(f"of these the first {given.settings} settings of every library")
    if _is_dry(given):
        notes.append(
            f"**dry run**: at most {given.rows or 'all'} rows, {given.trees or 'all'} trees"
        )
    return notes


def _is_dry(given: argparse.Namespace) -> bool:
    return bool(given.rows or given.trees)


def _table(
    data: str, metric: str, choices: dict[str, Choice], of: dict[str, list[Run]], queue: Queue
) -> list[str]:
    lines = [
        (
            f"| test {metric} | honest | four fifths | best test | paper | chosen setting | trees "
            "| trees of best test | settings | failures | time |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    failures: list[str] = []
    for name, choice in choices.items():
        runs = of[name]
        results = [queue.results[run.name] for run in runs]
        failed = {run.name: queue.results[run.name]["failure"] for run in runs}
        failed = {run: reason for run, reason in failed.items() if reason}
        failures += [f"- {run}: {reason}" for run, reason in failed.items()]
        chosen = [run.work.task["setting"] for run in runs if run.name == choice.setting]
        lines.append(
            f"| {name} | {choice.honest_whole:.5f} | {choice.honest_part:.5f} "
            f"| {choice.best_test:.5f} | {paper_result(LIBRARIES[name], data)} "
            f"| {_setting_text(name, chosen)} | {choice.trees} | {choice.best_test_trees} "
            f"| {len(runs)} | {len(failed)} "
            f"| {duration_text(sum(result['wall'] for result in results))} |"
        )
    return lines + (["", "Failures:", "", *failures] if failures else [])


def _setting_text(name: str, chosen: list[dict[str, Any]]) -> str:
    """Name what the grid varies; nothing if every setting failed."""
    return "; ".join(
        ", ".join(f"{key} {setting[key]:g}" for key in LIBRARIES[name].grid) for setting in chosen
    )


def _goal(data: str, metric: str, choices: dict[str, Choice], *, is_dry: bool) -> list[str]:
    """Return the row that says whether plboost's honest figure is better than the peers'."""
    peers = {name: choice for name, choice in choices.items() if name != OURS}
    if OURS not in choices or not peers:
        return []
    better = better_of(metric)
    field = "best_test" if data in AGAINST_BEST_TEST else "honest_whole"
    rival, mark = "", float("nan")
    for name, choice in peers.items():
        if is_better(getattr(choice, field), mark, better):
            rival, mark = name, getattr(choice, field)
    ours = choices[OURS]
    verdicts = [
        "dry run" if is_dry else "yes" if is_better(value, mark, better) else "**no**"
        for value in (ours.honest_whole, ours.honest_part)
    ]
    words = "best test iteration" if field == "best_test" else "honest choice"
    row = (
        f"| {data} | {ours.honest_whole:.5f} | {ours.honest_part:.5f} | {words} "
        f"| {mark:.5f} ({rival}) | {verdicts[0]} | {verdicts[1]} |"
    )
    return [row]
