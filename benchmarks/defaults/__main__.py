"""Compare settings of plboost on validation rows; the test rows of a set are never read.

A fifth of the training part of every set is held back, a curve of the metric per tree is kept for
every setting, and the report shows the metric relative to the first setting, as a geometric mean
over the sets, at several numbers of trees. Results are kept per run; a second call goes on.
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
from benchmarks.defaults.settings import SETTINGS, TASKS

RESULTS = Path(__file__).resolve().parents[1] / "results" / "defaults"
VALIDATION_SHARE = 0.2
COUNTS = (50, 100, 200, 300, 500, 700, 1000)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__)
    parser.add_argument("--settings", nargs="+", choices=sorted(SETTINGS), default=None)
    parser.add_argument("--sets", nargs="+", default=None, help="all by default")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--name", default="runs", help="folder of the runs, one per build")
    return parser.parse_args()


def curve(name: str, rows: int, seed: int, parameters: dict[str, Any], threads: int | None) -> Any:
    """Train and return the validation metric after every tree, and the seconds."""
    problem = load(name)
    rng = np.random.default_rng(1000 + seed)
    order = rng.permutation(len(problem.y_train))
    n_valid = round(VALIDATION_SHARE * len(order))
    valid, train = order[:n_valid], order[n_valid:][:rows]
    data = plboost.Dataset(
        problem.X_train[train], problem.y_train[train], random_state=seed, n_jobs=threads
    )
    start = time.perf_counter()
    model = plboost.train(
        {"loss": problem.loss, **parameters},
        data,
        eval_sets={"valid": (problem.X_train[valid], problem.y_train[valid])},
        n_jobs=threads,
    )
    seconds = time.perf_counter() - start
    (values,) = model.history["valid"].values()
    return {"curve": [float(f"{value:.6g}") for value in values], "seconds": seconds}


def collect(given: argparse.Namespace) -> dict[str, dict[tuple[str, int, int], list[float]]]:
    """Return setting -> task -> curve."""
    folder = RESULTS / given.name
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [task for task in TASKS if given.sets is None or task[0] in given.sets]
    names = given.settings or list(SETTINGS)
    found: dict[str, dict[tuple[str, int, int], list[float]]] = {name: {} for name in names}
    for seed in range(given.seeds):
        for data, rows in tasks:
            for name in names:
                label = f"{data}-{rows}--{name.replace(' ', '_').replace(',', '')}--{seed}.json"
                path = folder / label
                if not path.exists():
                    result = curve(data, rows, seed, SETTINGS[name], given.threads)
                    path.write_text(json.dumps(result))
                    last, best = result["curve"][-1], min(result["curve"])
                    print(f"{label}  last {last:.5g}  best {best:.5g}  {result['seconds']:.1f} s")
                found[name][data, rows, seed] = json.loads(path.read_text())["curve"]
    return found


def report(found: dict[str, dict[tuple[str, int, int], list[float]]]) -> str:
    """Return Markdown: metric relative to the first setting's best, over tasks and seeds."""
    names = list(found)
    base = {task: min(values) for task, values in found[names[0]].items()}
    columns = " | ".join(f"{count} trees" for count in COUNTS)
    lines = [f"| setting | {columns} | best |", "|---|" + "---|" * (len(COUNTS) + 1)]
    for name in names:
        ratios = []
        for task, values in found[name].items():
            shown = [values[min(count, len(values)) - 1] for count in COUNTS] + [min(values)]
            ratios.append(np.log(np.array(shown) / base[task]))
        cells = " | ".join(f"{value:.4f}" for value in np.exp(np.mean(ratios, axis=0)))
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def main() -> int:
    given = arguments()
    found = collect(given)
    text = report(found)
    print(text)
    head = (
        f"# Settings on validation rows\n\n`python -m benchmarks.defaults`, {given.seeds} seed(s)"
    )
    (RESULTS / "README.md").write_text(f"{head}\n\n{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
