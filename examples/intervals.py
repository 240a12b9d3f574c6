"""Draw docs/images/intervals.png: intervals where the noise depends on the feature."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

from plboost import PLBoostRegressor

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "intervals.png"
Array = npt.NDArray[np.float64]


def draw_rows(n_rows: int, seed: int) -> tuple[Array, Array]:
    """Return a feature and a target whose noise grows with it."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 3, size=(n_rows, 1))
    y = np.sin(2 * X[:, 0]) + (0.1 + 0.3 * X[:, 0]) * rng.normal(size=n_rows)
    return X, y


def main() -> None:
    """Fit, say how many new targets the intervals hold, and draw them."""
    X, y = draw_rows(4000, seed=0)
    new, target = draw_rows(4000, seed=1)
    model = PLBoostRegressor(intervals=True, n_estimators=60, max_leaves=6, random_state=0)
    model.fit(X, y)
    grid = np.linspace(0, 3, 400)[:, None]
    figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    axes.plot(new[::4, 0], target[::4], ".", color="0.7", ms=3, label="new rows")
    for coverage, shade in ((0.95, 0.2), (0.5, 0.35)):
        low, high = model.predict_interval(new, coverage).T
        part = np.mean((low <= target) & (target <= high))
        print(
            f"coverage {coverage}: {part:.3f} of the targets, mean width {np.mean(high - low):.2f}"
        )
        ends = model.predict_interval(grid, coverage).T
        axes.fill_between(
            grid[:, 0], *ends, color="C0", alpha=shade, lw=0, label=f"coverage={coverage}"
        )
    axes.plot(grid[:, 0], model.predict(grid), color="C0", lw=1.5, label="prediction")
    axes.set(xlabel="the feature", ylabel="the target")
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(PICTURE, dpi=110)
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
