"""Ratios of test errors, and tables of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Run", "mean_text", "table"]


@dataclass(frozen=True)
class Run:
    data: str
    pattern: str
    seed: int
    errors: dict[str, float]
    seconds: dict[str, float]

    def ratio(self, arm: str) -> float:
        return self.errors[arm] / self.errors["plain"]


def mean_text(ratios: list[float]) -> str:
    """Return the geometric mean and its standard error."""
    logs = np.log(ratios)
    error = np.std(logs, ddof=1) / np.sqrt(len(logs)) if len(logs) > 1 else 0.0
    return f"{np.exp(logs.mean()):.3f} ± {error:.3f}"


def table(runs: list[Run], arm: str) -> list[str]:
    """Return the ratios: a row for each pattern, a column for each set."""
    sets = list(dict.fromkeys(run.data for run in runs))
    lines = [f"| pattern | {' | '.join(sets)} | mean |", "|---" * (len(sets) + 2) + "|"]
    for pattern in dict.fromkeys(run.pattern for run in runs):
        of_pattern = [run for run in runs if run.pattern == pattern]
        by_set = {data: [run.ratio(arm) for run in of_pattern if run.data == data] for data in sets}
        means = {data: np.exp(np.mean(np.log(r))) for data, r in by_set.items() if r}
        cells = [f"{means[data]:.3f}" if data in means else "" for data in sets]
        # Sets, not runs, are what the standard error is about.
        every = list(means.values()) if len(means) > 1 else by_set[of_pattern[0].data]
        lines.append(f"| {pattern} | {' | '.join(cells)} | {mean_text(every)} |")
    return lines
