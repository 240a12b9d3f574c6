"""The figure of a leaderboard: ranks with their standard errors, and every set's relative error."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.leaderboard.ranking import Floats, estimate

# Importing the other figures also chooses the backend that needs no screen.
from benchmarks.peers.figures import COLOURS

__all__ = ["draw_board"]


def draw_board(
    folder: Path, names: list[str], sets: list[str], ranks: Floats, relative: Floats
) -> Path:
    """Draw both panels, the best contestant on top."""
    order = np.argsort(ranks.mean(axis=1), kind="stable")
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10, 1.2 + 0.45 * len(names)), layout="constrained", sharey=True
    )
    for place, i in enumerate(order):
        colour = COLOURS[names[i]]
        rank = estimate(ranks[i])
        width = 0.0 if np.isnan(rank.error) else rank.error
        left.errorbar(rank.mean, place, xerr=width, fmt="o", color=colour, capsize=4)
        right.plot(relative[i], np.full(len(sets), place), "o", color=colour, alpha=0.5)
        right.plot(relative[i].mean(), place, "|", color="black", markersize=16)
    left.set_yticks(range(len(names)), [names[i] for i in order])
    left.invert_yaxis()
    left.set_xlabel("mean rank over the sets ± standard error")
    right.set_xscale("log")
    right.xaxis.set_major_formatter("{x:g}")
    right.xaxis.set_minor_formatter("{x:g}")
    right.tick_params(axis="x", which="both", labelsize=7)
    right.axvline(1.0, color="black", linewidth=0.8)
    right.set_xlabel("error / best on the set; a dot per set, a bar at the mean")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    path = folder / "leaderboard.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path
