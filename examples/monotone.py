"""Draw docs/images/monotone.png: predictions along a feature, free and monotone."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from plboost import PLBoostRegressor

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "monotone.png"


def main() -> None:
    """Fit noisy rows of a rising function and draw what comes of it."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = np.tanh(3 * X[:, 0]) + X[:, 1] ** 2 + 0.5 * rng.normal(size=len(X))
    grid = np.column_stack([np.linspace(-1.3, 1.3, 500), np.zeros(500)])
    figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    axes.plot(X[:, 0], y - X[:, 1] ** 2, ".", color="0.8", label="rows, less the other feature")
    axes.plot(grid[:, 0], np.tanh(3 * grid[:, 0]), color="0.4", lw=1, ls="--", label="truth")
    for signs, label in (([0, 0], "free"), ([1, 0], "monotonic_cst=[1, 0]")):
        model = PLBoostRegressor(monotonic_cst=signs, random_state=0).fit(X, y)
        axes.plot(grid[:, 0], model.predict(grid), lw=1.5, label=label)
    axes.set(xlabel="the feature", ylabel="prediction")
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(PICTURE, dpi=110)
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
