"""Compare settings of plboost on validation rows; the test rows of a set are never read.

A fifth of the training part of every set is held back. The report shows the metric relative to the
first setting, as a geometric mean over the tasks of a kind, and the worst task. Results are kept
per run; a second call goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import plboost
from benchmarks.data import load
from benchmarks.defaults.settings import SETTINGS, TASKS, Task
from benchmarks.leaderboard.estimators import default_estimator
from benchmarks.peers.worker import metric_of

RESULTS = Path(__file__).resolve().parents[1] / "results" / "defaults"
VALIDATION_SHARE = 0.2
MOST_VALIDATION_ROWS = 20_000

Runs = dict[str, dict[tuple[Task, int], float]]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__)
    parser.add_argument("--settings", nargs="+", choices=list(SETTINGS), default=None)
    parser.add_argument("--sets", nargs="+", default=None, help="all by default")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--name", default="runs", help="folder of the runs, one per build")
    return parser.parse_args()


def measure(task: Task, seed: int, setting: str, threads: int) -> dict[str, Any]:
    """Train and return the metric of the validation rows, and the seconds."""
    problem = load(task.data)
    rng = np.random.default_rng(1000 + seed)
    order = rng.permutation(len(problem.y_train))
    n_valid = round(VALIDATION_SHARE * len(order))
    valid, train = order[:n_valid][:MOST_VALIDATION_ROWS], order[n_valid:][: task.rows]
    learned, measured = task.targets(problem.y_train, rng)
    binary = problem.task == "binary" or task.target == "above the median"
    parameters = SETTINGS[setting]
    library = "catboost" if parameters is None else "plboost"
    estimator = default_estimator(library, "binary" if binary else "regression", seed, threads)
    if parameters:
        estimator.set_params(**parameters)
    start = time.perf_counter()
    estimator.fit(problem.X_train[train], learned[train].astype(int) if binary else learned[train])
    seconds = time.perf_counter() - start
    rows = problem.X_train[valid]
    prediction = estimator.predict_proba(rows)[:, 1] if binary else estimator.predict(rows)
    loss = "log_loss" if binary else problem.loss
    return {"metric": metric_of(loss, measured[valid], prediction), "seconds": seconds}


def collect(given: argparse.Namespace) -> Runs:
    """Return setting -> task and seed -> metric."""
    folder = RESULTS / given.name
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [task for task in TASKS if given.sets is None or task.data in given.sets]
    names = given.settings or list(SETTINGS)
    found: Runs = {name: {} for name in names}
    for seed in range(given.seeds):
        for task in tasks:
            for name in names:
                label = f"{task}--{name}--{seed}".replace(" ", "_")
                path = folder / f"{label}.json"
                if not path.exists():
                    result = measure(task, seed, name, given.threads)
                    path.write_text(json.dumps(result))
                    print(f"{label:60s} {result['metric']:.6g}  {result['seconds']:.1f} s")
                found[name][task, seed] = json.loads(path.read_text())["metric"]
    return found


def report(found: Runs) -> str:
    """Return Markdown: metric relative to the first setting's, by kind of task."""
    base = next(iter(found.values()))
    kinds = list(dict.fromkeys(task.kind for task, _ in base))
    lines = [f"| setting | {' | '.join(kinds)} | worst task |", "|---|" + "---|" * (len(kinds) + 1)]
    for name, metrics in found.items():
        ratios = {run: metric / base[run] for run, metric in metrics.items()}
        cells = []
        for kind in kinds:
            own = [ratio for (task, _), ratio in ratios.items() if task.kind == kind]
            cells.append(f"{np.exp(np.mean(np.log(own))):.4f}")
        (worst, _), most = max(ratios.items(), key=lambda item: item[1])
        lines.append(f"| {name} | {' | '.join(cells)} | {most:.3f} ({worst}) |")
    return "\n".join(lines)


def main() -> int:
    given = arguments()
    text = report(collect(given))
    print(text)
    command = "python -m benchmarks.defaults"
    head = f"# Settings on validation rows\n\n`{command}`, {given.seeds} seed(s)"
    version = f"plboost {plboost.__version__}; metrics relative to those of the first setting"
    (RESULTS / "README.md").write_text(f"{head}, {version}.\n\n{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
