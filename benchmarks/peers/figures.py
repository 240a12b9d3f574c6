"""The figures of the reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.peers.runner import median
from benchmarks.peers.worker import Measurement

__all__ = ["Curve", "draw_bars", "draw_curves", "draw_fit_times"]

COLOURS = {
    "plboost": "#c0392b",
    "plboost-all-rows": "#e59866",
    "lightgbm": "#2c3e50",
    "lightgbm-linear": "#7f8c8d",
    "xgboost": "#2980b9",
    "catboost": "#f1c40f",
    "hist-gradient-boosting": "#27ae60",
    "perpetual": "#8e44ad",
}


@dataclass(frozen=True)
class Curve:
    """A line of a panel."""

    label: str
    x: Sequence[float]
    y: Sequence[float]


def draw_fit_times(folder: Path, results: dict[str, dict[str, list[Measurement]]]) -> Path:
    """Draw fit time relative to LightGBM, one group of bars per job."""
    ratios: dict[str, dict[str, float]] = {}
    for job, arms in results.items():
        base = arms.get("lightgbm")
        if base:
            fits = {arm: median(repeats, "fit") for arm, repeats in arms.items()}
            ratios[job] = {arm: fit / median(base, "fit") for arm, fit in fits.items()}
    path = folder / "fit-time.png"
    draw_bars(path, ratios, "fit time / LightGBM", line=1.0)
    return path


def draw_bars(
    path: Path, groups: dict[str, dict[str, float]], label: str, line: float | None = None
) -> None:
    """Draw groups of horizontal bars with their values."""
    arms = list(dict.fromkeys(arm for bars in groups.values() for arm in bars))
    rows = [(group, arm, bars[arm]) for group, bars in groups.items() for arm in bars]
    figure, axes = plt.subplots(
        figsize=(8, 1 + 0.28 * (len(rows) + len(groups))), layout="constrained"
    )
    position, ticks, previous = 0.0, [], None
    for group, arm, value in rows:
        position += 1.0 if group == previous else 2.0
        if group != previous:
            axes.text(0, position - 0.9, group, fontweight="bold", fontsize=8, va="center")
        colour = COLOURS.get(arm, f"C{arms.index(arm)}")
        axes.barh(position, value, color=colour)
        axes.text(value, position, f" {value:.3g}", va="center", fontsize=8)
        ticks.append((position, arm))
        previous = group
    if line is not None:
        axes.axvline(line, color="black", linewidth=0.8)
    axes.set_yticks([at for at, _ in ticks], [name for _, name in ticks], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, path)


def draw_curves(
    path: Path, panels: dict[str, list[Curve]], x_label: str, y_labels: dict[str, str]
) -> None:
    """Draw one panel per data set: the test metric along time or trees."""
    columns = min(3, max(1, len(panels)))
    lines = -(-len(panels) // columns)
    figure, grid = plt.subplots(
        lines, columns, figsize=(4.2 * columns, 3.2 * lines), layout="constrained", squeeze=False
    )
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes, (name, curves) in zip(grid.flat, panels.items(), strict=False):
        lowest = min(min(curve.y) for curve in curves)
        ends = [curve.y[-1] for curve in curves]
        for curve in curves:
            axes.plot(curve.x, curve.y, label=curve.label, color=COLOURS.get(curve.label))
        # The first trees are far above: what is of interest is where the curves end.
        axes.set_ylim(lowest * 0.98, max(ends) + 1.5 * (max(ends) - lowest) + 0.05 * lowest)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel(x_label)
        axes.set_ylabel(f"test {y_labels[name]}")
        axes.spines[["top", "right"]].set_visible(False)
    grid.flat[0].legend(fontsize=8, frameon=False)
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)
