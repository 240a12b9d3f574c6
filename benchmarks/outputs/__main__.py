"""One forest for each output, or one for all of them: python -m benchmarks.outputs.

A forest of all outputs has one structure: a cut gains what it gains for all outputs together, and
a leaf has a line for each of them on the features of its path. Both forms are grown by the same
code (trees.py), on standardised targets, and the number of rounds is chosen on validation rows:

- each: a tree for every output in every round.
- shared: a tree of as many leaves for all of them.
- shared, as many leaves in all: a tree of as many leaves as those of "each" have together, but 64
  at most.

Figures are relative to "each". Sets whose file is missing are left out. Nothing is refused on a
busy machine: times are of the processor, of a prototype, and only indicative.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import numpy.typing as npt

from benchmarks.data import DataNotFoundError
from benchmarks.outputs.forests import Result, boost
from benchmarks.outputs.sets import SETS, load_parts
from benchmarks.outputs.trees import Setting
from benchmarks.peers.report import head, show_report

LARGEST = 64
"""Leaves of a shared tree at most."""
EACH, SHARED, AS_MANY = "each", "shared", "shared, as many leaves in all"
HEADING = (
    "| set | outputs | rows | RMSE | of single outputs | rounds | nodes | codes | sums | numbers "
    "| seconds |"
)
Runs = dict[str, list[Result]]
"""Arm -> its seeds."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.outputs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--rows", nargs="+", type=int, default=[300, 3000], help="to train on")
    parser.add_argument("--leaves", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=200, help="at most")
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--name", help="folder of the report; without it, it is only printed")
    return parser.parse_args()


def run(data: str, n_rows: int, given: argparse.Namespace) -> Runs:
    runs: Runs = {EACH: [], SHARED: [], AS_MANY: []}
    setting = Setting(max_leaves=given.leaves)
    for seed in range(given.seeds):
        parts = load_parts(data, n_rows, seed)
        n_leaves = min(LARGEST, given.leaves * parts.Y[0].shape[1])
        larger = Setting(max_leaves=n_leaves)
        arms = {EACH: setting, SHARED: setting, AS_MANY: larger}
        for arm, chosen in arms.items():
            if arm == AS_MANY and larger == setting:
                runs[arm].append(runs[SHARED][-1])
                continue
            result = boost(
                parts, chosen, is_shared=arm != EACH, n_rounds=given.rounds, rate=given.rate
            )
            runs[arm].append(result)
    return runs


def log_ratios(runs: Runs, arm: str) -> npt.NDArray[np.float64]:
    """Return log(RMSE / RMSE of a forest for each), [seeds, outputs]."""
    pairs = zip(runs[arm], runs[EACH], strict=True)
    return np.array([np.log(own.rmse / each.rmse) for own, each in pairs])


def row(data: str, n_rows: int, runs: Runs, arm: str) -> str:
    logs = log_ratios(runs, arm)
    by_seed = logs.mean(axis=1)
    error = np.std(by_seed, ddof=1) / np.sqrt(len(by_seed)) if len(by_seed) > 1 else 0.0
    of_outputs = np.exp(logs.mean(axis=0))

    def part(number: str) -> float:
        own, each = (
            sum((r.seconds if number == "seconds" else getattr(r.cost, number)) for r in runs[a])
            / sum(r.n_grown for r in runs[a])
            for a in (arm, EACH)
        )
        return float(own / each)

    rounds = [np.mean([result.n_rounds for result in runs[a]]) for a in (arm, EACH)]
    return (
        f"| {data} | {len(of_outputs)} | {n_rows} | {np.exp(by_seed.mean()):.3f} ± {error:.3f} "
        f"| {of_outputs.min():.3f} - {of_outputs.max():.3f} | {rounds[0]:.0f} / {rounds[1]:.0f} "
        f"| {part('searches'):.2f} | {part('codes'):.2f} | {part('sums'):.2f} "
        f"| {part('numbers'):.2f} | {part('seconds'):.2f} |"
    )


def report(results: dict[tuple[str, int], Runs], given: argparse.Namespace) -> str:
    command = " ".join(["python -m benchmarks.outputs", *sys.argv[1:]])
    notes = [
        "RMSE: on test rows, geometric mean of outputs and seeds, standard error over the seeds",
        f"{given.seeds} seeds, {given.leaves} leaves, up to {given.rounds} rounds of {given.rate}",
        "rounds: chosen on validation rows, of this form and of a forest for each",
        "nodes searched, codes read, sums updated, numbers in the model, seconds: of a round",
    ]
    lines = ["# One forest for each output, or one for all", ""]
    lines += head(command, {f"numpy {np.__version__}"}, notes)
    for arm in (SHARED, AS_MANY):
        lines += [f"## {arm}", "", HEADING, "|---" * 11 + "|"]
        lines += [row(data, n, runs, arm) for (data, n), runs in results.items()]
        every = [log_ratios(runs, arm).mean() for runs in results.values()]
        error = np.std(every, ddof=1) / np.sqrt(len(every)) if len(every) > 1 else 0.0
        lines += ["", f"Mean of the rows: {np.exp(np.mean(every)):.3f} ± {error:.3f}", ""]
    return "\n".join(lines)


def main() -> int:
    given = arguments()
    results = {}
    for data in given.sets:
        for n_rows in given.rows:
            try:
                results[data, n_rows] = run(data, n_rows, given)
            except DataNotFoundError as error:
                print(f"{data} left out: {error}", file=sys.stderr)
                break
            for arm in (SHARED, AS_MANY):
                print(arm, row(data, n_rows, results[data, n_rows], arm), flush=True)
    if not results:
        return 1
    show_report(report(results, given), given.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
