"""Missing values in the lines of leaves: python -m benchmarks.missing.

In a line a missing value counts as the mean of its feature. A leaf could also have an effect of
"it is missing" for each of its regressors. Cells are taken away from sets in several patterns, and
the ratio of test errors to those of plboost as it is tells what that pays:

- columns: the user adds the indicators as features of their own, for cuts and lines.
- lines: the fit of a leaf has the indicators of its regressors as further columns.
- lines-enough: only those of which the leaf misses min_samples_leaf rows or more.

The last two need a build with the change that docs/adr/0015 describes. Nothing is refused on a
busy machine: times are of the processor, and only indicative.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import numpy as np

from benchmarks.contestants import contestant
from benchmarks.data import DataNotFoundError, load
from benchmarks.missing.patterns import PATTERNS, Array, with_indicators
from benchmarks.missing.ratios import Run, mean_text, table
from benchmarks.peers.report import head, show_report
from benchmarks.synthetic import synthetic
from benchmarks.trouble.cases import Part
from plboost import Dataset, train

N_TEST = 10_000
PLANTED = ("synthetic", "california", "casp", "energy", "gas_turbine", "higgs", "kin40k")
SETS = (*PLANTED, "superconductor", "beijing_air")
ARMS = {"plain": "0", "columns": "0", "lines": "1", "lines-enough": "2"}
"""Arm -> what the changed build reads from PLBOOST_MISSING_TERMS."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.missing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--arms", nargs="+", choices=list(ARMS)[1:], default=["columns"])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--patterns", nargs="+", choices=list(PATTERNS), default=list(PATTERNS))
    parser.add_argument("--rows", type=int, default=6000, help="of the training part")
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--name", help="folder of the report; without it, it is only printed")
    return parser.parse_args()


def loaded(data: str, seed: int, n_rows: int) -> Part:
    if data == "synthetic":
        X, y = synthetic(n_rows + N_TEST, 12, seed, "float64")
        return Part(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:], "squared_error")
    problem = load(data, seed=seed, max_rows=n_rows)
    X, X_test = (X.astype(np.float64) for X in (problem.X_train, problem.X_test[:N_TEST]))
    return Part(X, problem.y_train, X_test, problem.y_test[:N_TEST], problem.loss)


def predictions(part: Part, arm: str, n_trees: int) -> Array:
    """Train one arm and return its scores of the test rows."""
    n_columns = part.X.shape[1]
    os.environ["PLBOOST_MISSING_TERMS"] = ARMS[arm]
    os.environ["PLBOOST_MISSING_COLUMNS"] = str(n_columns)
    params = {"loss": part.loss, "n_estimators": n_trees}
    if arm != "columns":
        own = list(range(n_columns))
        params |= {"split_features": own, "regressor_features": own}
    dataset = Dataset(with_indicators(part.X), part.y, n_jobs=1)
    booster = train(params, dataset, n_jobs=1)
    return booster.predict(with_indicators(part.X_test), raw_score=True, n_jobs=1)


def error_of(part: Part, score: Array) -> float:
    """Return RMSE or log loss on the test part."""
    if part.loss == "squared_error":
        return float(np.sqrt(np.mean((score - part.y_test) ** 2)))
    sign = np.where(part.y_test == 1, 1.0, -1.0)
    return float(np.mean(np.logaddexp(0.0, -sign * score)))


def run(data: str, pattern: str, seed: int, given: argparse.Namespace) -> Run:
    part = loaded(data, seed, given.rows)
    PATTERNS[pattern](part, np.random.default_rng(seed))
    scores, seconds = {}, {}
    for arm in ("plain", *given.arms):
        begin = time.process_time()
        scores[arm] = predictions(part, arm, given.trees)
        seconds[arm] = time.process_time() - begin
        if arm.startswith("lines") and np.array_equal(scores[arm], scores["plain"]):
            raise RuntimeError(
                f"{arm} changed nothing on {data}, {pattern}: plboost must be built with the "
                "change that docs/adr/0015 describes. Leave this arm out with --arms columns."
            )
    return Run(data, pattern, seed, {a: error_of(part, s) for a, s in scores.items()}, seconds)


def report(runs: list[Run], given: argparse.Namespace) -> str:
    command = " ".join(["python -m benchmarks.missing", *sys.argv[1:]])
    notes = [
        f"test error (RMSE, log loss) by that of plboost as it is, mean of {given.seeds} seeds",
        "means are geometric, with a standard error over the sets",
        f"at most {given.rows} training rows, {given.trees} trees, one thread",
    ]
    if any(arm.startswith("lines") for arm in given.arms):
        notes.append("build with the change of docs/adr/0015")
    versions = {f"plboost {contestant('plboost').version()}"}
    lines = ["# Missing values in lines", "", *head(command, versions, notes)]
    for arm in given.arms:
        slower = [run.seconds[arm] / run.seconds["plain"] for run in runs]
        lines += [f"## {arm}", "", *table(runs, arm), ""]
        lines += [f"Time of fit and prediction, relative: {mean_text(slower)}", ""]
    return "\n".join(lines)


def main() -> int:
    given = arguments()
    runs, left_out = [], set()
    for pattern in given.patterns:
        for data in given.sets:
            # Only one set misses values by itself, and nothing is planted in that.
            if (data == "beijing_air") != (pattern == "as it is") or data in left_out:
                continue
            for seed in range(given.seeds):
                try:
                    runs.append(run(data, pattern, seed, given))
                except DataNotFoundError as error:
                    print(f"{data} left out: {error}", file=sys.stderr)
                    left_out.add(data)
                    break
                texts = [f"{arm} {runs[-1].ratio(arm):.4f}" for arm in given.arms]
                print(f"{pattern:<28} {data:<15} {seed} {'  '.join(texts)}", flush=True)
    if not runs:
        return 1
    show_report(report(runs, given), given.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
