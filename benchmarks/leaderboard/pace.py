"""How long the runs still to be made will take, and a duration for people to read."""

from __future__ import annotations

import statistics

__all__ = ["Timings", "duration_text", "expected_seconds"]

Timings = dict[tuple[str, str], list[float]]
"""(set, contestant) -> seconds of each known run, per unit of its size."""


def expected_seconds(timings: Timings, data: str, contestant: str) -> float:
    """Guess the seconds of a run from those that are known.

    The mean of the same pair; before there is one, the overall mean times how much more than
    that the set and the contestant took elsewhere.
    """
    if (data, contestant) in timings:
        return statistics.fmean(timings[data, contestant])
    mean = statistics.fmean(s for several in timings.values() for s in several)

    def factor(axis: int, name: str) -> float:
        seen = [s for key, several in timings.items() if key[axis] == name for s in several]
        return statistics.fmean(seen) / mean if seen else 1.0

    return mean * factor(0, data) * factor(1, contestant)


def duration_text(seconds: float) -> str:
    """Write a duration in the unit that suits it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
