"""One setting of one library, in a process of its own: JSON in, JSON out.

It is trained twice: on four fifths of the training part, with the metric of the last fifth and of
the test part after every tree, and on the whole training part, with that of the test part.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from benchmarks.data import load
from benchmarks.leaderboard.curves import Metric, Part, Training, fit_curves
from benchmarks.leaderboard.runs import forbid_longer_than
from benchmarks.leaderboard.selection import validation_rows
from benchmarks.paper.grids import LIBRARIES, SIZES
from benchmarks.paper.protocol_choice import digest

TIME_LIMIT = 6 * 3600.0


def run(task: dict[str, Any]) -> dict[str, Any]:
    n_train, n_test = SIZES.get(task["data"], (None, None))
    rows = min((n for n in (n_train, task["max_rows"]) if n is not None), default=None)
    problem = load(task["data"], seed=task["seed"], max_rows=rows, n_test=n_test)
    trainer = LIBRARIES[task["library"]].trainer
    metric: Metric = "auc" if problem.task == "binary" else "rmse"
    test = Part(problem.X_test, problem.y_test)

    def curves(data: Part, evals: dict[str, Part]) -> dict[str, list[float]]:
        job = Training(
            task["setting"], data, evals, metric, task["trees"], task["threads"], task["seed"]
        )
        return fit_curves(trainer, job)

    held_out = validation_rows(len(problem.y_train), task["seed"])
    part, valid = (
        Part(problem.X_train[rows], problem.y_train[rows]) for rows in (~held_out, held_out)
    )
    start = time.monotonic()
    chosen = curves(part, {"valid": valid, "test": test})
    whole = curves(Part(problem.X_train, problem.y_train), {"test": test})
    return {
        "failure": None,
        "metric_name": metric,
        "n_train": len(problem.y_train),
        "n_test": len(problem.y_test),
        "seconds": time.monotonic() - start,
        **digest(chosen["valid"], chosen["test"], whole["test"], metric),
    }


if __name__ == "__main__":
    forbid_longer_than(TIME_LIMIT)
    print(json.dumps(run(json.load(sys.stdin))))
