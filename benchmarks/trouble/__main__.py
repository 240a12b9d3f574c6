"""Plant trouble in data and compare linear leaves with constant ones: python -m benchmarks.trouble.

Every case plants one kind of trouble in a set, or sets a parameter that invites it. plboost is
trained twice, with its defaults and with max_regressors=0, everything else equal. The ratio of the
two mean test errors over the seeds tells what linear leaves cost. Nothing is timed, so the machine
may be busy.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contestants import contestant
from benchmarks.data import DataNotFoundError, load
from benchmarks.peers.report import head
from benchmarks.synthetic import synthetic
from benchmarks.trouble.cases import CASES, Array, Case, Part
from plboost import Dataset, train

RESULTS = Path(__file__).resolve().parents[1] / "results"
LIMIT = 1.02
LARGEST_TRAINING, LARGEST_TEST = 20_000, 5000
# Models of few rows differ much from seed to seed, and cost little.
FEW_ROWS, MORE_SEEDS = 300, 4


@dataclass(frozen=True)
class Result:
    """Test errors of the seeds."""

    case: str
    data: str
    constant: Array
    linear: Array

    @property
    def ratio(self) -> float:
        if self.constant.sum() == 0:
            return 1.0 if self.linear.sum() == 0 else np.inf
        return float(self.linear.sum() / self.constant.sum())

    @property
    def deviation(self) -> float:
        """Standard error of the ratio of two means over the seeds."""
        n = len(self.constant)
        if n < 2 or self.constant.sum() == 0:
            return 0.0
        residual = self.linear - self.ratio * self.constant
        return float(np.std(residual, ddof=1) / np.sqrt(n) / self.constant.mean())

    @property
    def is_above(self) -> bool:
        return self.ratio > LIMIT


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.trouble",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--case", action="append", help="cases whose name holds this; repeatable")
    parser.add_argument("--sets", nargs="+", help="leave out all sets but these")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--parameters", type=json.loads, default={}, help="for both models, as '{\"l2\": 1}'"
    )
    parser.add_argument("--name", help="folder of the report; without it a part is only printed")
    return parser.parse_args()


@functools.cache
def loaded(data: str, seed: int) -> Part:
    """Load a set once; synthetic-2 has two classes."""
    if data.startswith("synthetic"):
        X, y = synthetic(LARGEST_TRAINING + LARGEST_TEST, 12, seed, "float64")
        X, loss = X.astype(np.float64), "squared_error"
        if data == "synthetic-2":
            y, loss = (y > np.median(y)).astype(np.float64), "log_loss"
        cut = LARGEST_TRAINING
        return Part(X[:cut], y[:cut], X[cut:], y[cut:], loss)
    problem = load(data, seed=seed, max_rows=LARGEST_TRAINING)
    test = slice(LARGEST_TEST)
    X, X_test = (X.astype(np.float64) for X in (problem.X_train, problem.X_test[test]))
    return Part(X, problem.y_train, X_test, problem.y_test[test], problem.loss)


def planted(case: Case, data: str, seed: int) -> Part:
    """Return a copy of the first rows of a set, with the trouble in it."""
    source = loaded(data, seed)
    part = Part(
        source.X[: case.n_rows].copy(),
        source.y[: case.n_rows].copy(),
        source.X_test.copy(),
        source.y_test.copy(),
        source.loss,
    )
    case.plant(part, np.random.default_rng(seed))
    return part


def error_of(part: Part, **params: Any) -> float:
    """Train and return RMSE or log loss on the test part."""
    dataset = Dataset(part.X, part.y, sample_weight=part.weight, n_jobs=1)
    booster = train({"loss": part.loss, **part.params, **params}, dataset, n_jobs=1)
    score = booster.predict(part.X_test, raw_score=True, n_jobs=1)
    if part.loss == "squared_error":
        return float(np.sqrt(np.average((score - part.y_test) ** 2, weights=part.test_weight)))
    sign = np.where(part.y_test == 1, 1.0, -1.0)
    return float(np.average(np.logaddexp(0.0, -sign * score), weights=part.test_weight))


def run(case: Case, data: str, n_seeds: int, params: dict[str, Any]) -> Result:
    errors: dict[str, list[float]] = {"constant": [], "linear": []}
    for seed in range(n_seeds * (MORE_SEEDS if case.n_rows <= FEW_ROWS else 1)):
        part = planted(case, data, seed)
        errors["constant"].append(error_of(part, **params | {"max_regressors": 0}))
        errors["linear"].append(error_of(part, **params))
    return Result(case.name, data, np.array(errors["constant"]), np.array(errors["linear"]))


def matrix(results: list[Result]) -> list[str]:
    """Return a table of the ratios: a row for each case, a column for each set."""
    sets = list(dict.fromkeys(result.data for result in results))
    rows: dict[str, dict[str, str]] = {}
    for result in results:
        mark = "**" if result.is_above else ""
        rows.setdefault(result.case, {})[result.data] = f"{mark}{result.ratio:.3f}{mark}"
    lines = [f"| case | {' | '.join(sets)} |", "|---" * (len(sets) + 1) + "|"]
    for name, cells in rows.items():
        lines.append(f"| {name} | {' | '.join(cells.get(data, '') for data in sets)} |")
    return lines


def details(results: list[Result]) -> list[str]:
    """Return a table of what is above the limit, the worst first."""
    above = sorted((r for r in results if r.is_above), key=lambda result: -result.ratio)
    if not above:
        return [f"No ratio is above {LIMIT}."]
    lines = [
        "| case | set | constant | linear | ratio | standard error | single seeds |",
        "|---|---|---|---|---|---|---|",
    ]
    for r in above:
        seeds = r.linear / r.constant
        lines.append(
            f"| {r.case} | {r.data} | {r.constant.mean():.5g} | {r.linear.mean():.5g} "
            f"| {r.ratio:.3f} | {r.deviation:.3f} | {seeds.min():.3f} - {seeds.max():.3f} |"
        )
    return lines


def report(results: list[Result], given: argparse.Namespace) -> str:
    command = " ".join(["python -m benchmarks.trouble", *sys.argv[1:]])
    n_above = sum(result.is_above for result in results)
    seeds = f"{given.seeds} seeds ({MORE_SEEDS * given.seeds} with at most {FEW_ROWS} rows)"
    notes = [
        f"ratio of mean test errors (RMSE, log loss) of linear to constant leaves, {seeds}",
        f"at most {Case.n_rows} training rows unless the case says otherwise, one thread",
        f"{n_above} of {len(results)} pairs of case and set are above {LIMIT} (bold)",
    ]
    versions = {f"plboost {contestant('plboost').version()}"}
    lines = ["# Linear leaves in trouble", "", *head(command, versions, notes)]
    lines += ["## Ratios", "", *matrix(results), ""]
    lines += [f"## Above {LIMIT}", "", *details(results), ""]
    return "\n".join(lines)


def main() -> int:
    given = arguments()
    cases = [c for c in CASES if not given.case or any(word in c.name for word in given.case)]
    results = []
    missing = set()
    # A few rows of small weight that no leaf can hold are part of the trouble.
    warnings.filterwarnings("ignore", message="the sample weights sum to")
    for case in cases:
        for data in case.sets:
            if (given.sets and data not in given.sets) or data in missing:
                continue
            begin = time.monotonic()
            try:
                result = run(case, data, given.seeds, given.parameters)
            except DataNotFoundError as error:
                print(f"{data} left out: {error}", file=sys.stderr)
                missing.add(data)
                continue
            results.append(result)
            print(
                f"{case.name:<58} {data:<14} {result.ratio:.3f} ± {result.deviation:.3f} "
                f"{'ABOVE' if result.is_above else '':<5} {time.monotonic() - begin:5.1f} s",
                flush=True,
            )
    text = report(results, given)
    is_part = bool(given.case or given.sets or given.parameters)
    if is_part and not given.name:
        print("\n" + text)
        return 0
    folder = RESULTS / (given.name or "trouble")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(text)
    print(f"written: {folder / 'README.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
