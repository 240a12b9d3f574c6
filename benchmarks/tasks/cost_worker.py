"""One training of a workload whose cost is compared, in a process of its own: JSON in, JSON out."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.contestants import Settings, contestant
from benchmarks.tasks.data import load_parts

__all__ = ["CostTask", "seconds_of_training"]


@dataclass(frozen=True)
class CostTask:
    """What a run is told."""

    data: str
    contestant: str
    settings: dict[str, Any]
    max_rows: int | None = None


def seconds_of_training(task: CostTask) -> float:
    """Train on prepared data, after a training of one tree that starts the threads."""
    library = contestant(task.contestant)
    settings = Settings(**task.settings)
    parts = load_parts(task.data, max_rows=task.max_rows)
    data = library.prepare(parts.X_train, parts.y_train, settings)
    library.fit(data, replace(settings, trees=1))
    start = time.perf_counter()
    library.fit(data, settings)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(json.dumps({"seconds": seconds_of_training(CostTask(**json.load(sys.stdin)))}))
