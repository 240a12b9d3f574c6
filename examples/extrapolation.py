"""Draw what a model says beyond the data it was trained on, with the clamp and with the line.

A weekly series with a trend and a yearly cycle is cut off after eight of ten years. With
``extrapolation="clamp"`` every leaf stays within its outputs on the training rows, so the forecast
stays where the series ended; with ``extrapolation="linear"`` it follows the leaves' lines.

Run ``python examples/extrapolation.py``; it takes seconds and writes extrapolation.png.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

from plboost import PLBoostRegressor

Array = npt.NDArray[np.float64]

YEARS, KNOWN_YEARS = 10, 8


def series(seed: int) -> tuple[Array, Array]:
    """Return features (time in years, place in the year as two waves) and the values."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, YEARS, 1.0 / 52.0)
    waves = [np.sin(2 * np.pi * time), np.cos(2 * np.pi * time)]
    y = 20.0 + 3.0 * time + 4.0 * waves[0] + rng.normal(scale=0.7, size=len(time))
    return np.column_stack([time, *waves]), y


def forecasts(X: Array, y: Array) -> dict[str, Array]:
    """Train on the known years and predict all of them."""
    known = X[:, 0] < KNOWN_YEARS
    made = {}
    for kind in ("clamp", "linear"):
        # Few leaves with a line in every feature: the trend is in all of them.
        model = PLBoostRegressor(
            n_estimators=100,
            learning_rate=0.1,
            max_leaves=4,
            fitting="fully_corrective",
            regressors="all",
            extrapolation=kind,
            random_state=0,
        )
        made[kind] = model.fit(X[known], y[known]).predict(X)
    return made


def draw(X: Array, y: Array, made: dict[str, Array], path: Path) -> None:
    """Draw the two forecasts side by side."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True, layout="constrained")
    for axis, (kind, prediction) in zip(axes, made.items(), strict=True):
        axis.plot(X[:, 0], y, ".", color="0.75", markersize=3, label="measured")
        axis.plot(X[:, 0], prediction, color="C0", linewidth=1.2, label="predicted")
        axis.axvline(KNOWN_YEARS, color="0.4", linewidth=0.8, linestyle="--")
        axis.set_title(f'extrapolation="{kind}"')
        axis.set_xlabel("years (trained on those left of the line)")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("extrapolation.png"))
    given = parser.parse_args()
    X, y = series(seed=0)
    made = forecasts(X, y)
    ahead = X[:, 0] >= KNOWN_YEARS
    for kind, prediction in made.items():
        error = np.sqrt(np.mean((prediction[ahead] - y[ahead]) ** 2))
        print(f"{kind:>6}: RMSE of the two years ahead {error:.2f}")
    draw(X, y, made, given.output)
    print(f"picture: {given.output}")


if __name__ == "__main__":
    main()
