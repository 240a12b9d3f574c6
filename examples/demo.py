"""Train plboost beside scikit-learn's histogram boosting on the reach of a robot arm.

The arm has six joints. Its reach is a smooth function of the joint angles, disturbed by a load that
bends the arm, by noise, and by a few gross measuring errors. One column is often missing and one
has heavy tails. Both libraries get the same number of trees, leaves, the same learning rate, and
one thread, so that the times compare on a busy machine as well.

Run ``python examples/demo.py``; it takes less than a minute, writes demo.png, and ends with an
error if anything is not as it should be.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from plboost import Booster, Dataset, train
from plboost.plotting import plot_leaf

Array = npt.NDArray[np.float64]

JOINTS = [f"angle {i}" for i in range(1, 7)]
NAMES = [*JOINTS, "load", "current"]
LINKS_CM = np.array([40.0, 35.0, 25.0, 15.0, 10.0, 5.0])
TREES, LEAVES, RATE = 200, 31, 0.1


@dataclass
class Result:
    """How one library did."""

    name: str
    trees: int
    seconds: float
    curve: list[float]


def robot_arm(n_rows: int, seed: int) -> tuple[Array, Array]:
    """Return features and the measured reach in cm."""
    rng = np.random.default_rng(seed)
    angles = rng.uniform(-np.pi / 2, np.pi / 2, size=(n_rows, len(JOINTS)))
    load = rng.gamma(2.0, 1.5, size=n_rows)
    directions = np.cumsum(angles, axis=1)
    reach = np.hypot(np.cos(directions) @ LINKS_CM, np.sin(directions) @ LINKS_CM)
    reach -= 0.004 * load * reach
    # The motor's current follows the load with heavy tails; the load cell is often off.
    current = load * np.exp(0.5 * rng.standard_t(2.5, size=n_rows))
    load[rng.random(n_rows) < 0.3] = np.nan
    measured = reach + rng.normal(scale=0.5, size=n_rows)
    gross = rng.random(n_rows) < 0.01
    measured[gross] += 10 * rng.standard_t(2.5, size=int(gross.sum()))
    return np.column_stack([angles, load, current]), measured


def error(y: Array, prediction: Array) -> float:
    """Return the mean absolute error, which a few gross measuring errors do not rule."""
    return float(np.mean(np.abs(y - prediction)))


def curve(y: Array, stages: Iterable[Array]) -> list[float]:
    """Return the error after each round."""
    return [error(y, prediction) for prediction in stages]


def train_plboost(X: Array, y: Array, X_test: Array, y_test: Array) -> tuple[Result, Booster]:
    """Train plboost with its progress display."""
    print("plboost", file=sys.stderr)
    params = {"n_estimators": TREES, "max_leaves": LEAVES, "learning_rate": RATE}
    start = time.perf_counter()
    dataset = Dataset(X, y, feature_names=NAMES, n_jobs=1)
    booster = train(params, dataset, eval_sets={"test": (X_test, y_test)}, verbose=1, n_jobs=1)
    seconds = time.perf_counter() - start
    stages = curve(y_test, booster.staged_predict(X_test))
    return Result("plboost", booster.n_trees, seconds, stages), booster


def train_sklearn(X: Array, y: Array, X_test: Array, y_test: Array) -> Result:
    """Train scikit-learn's histogram boosting with the same trees, leaves and rate."""
    print("scikit-learn HistGradientBoosting", file=sys.stderr)
    model = HistGradientBoostingRegressor(
        max_iter=TREES,
        max_leaf_nodes=LEAVES,
        learning_rate=RATE,
        early_stopping=False,
        random_state=0,
    )
    start = time.perf_counter()
    with threadpool_limits(limits=1):
        model.fit(X, y)
    seconds = time.perf_counter() - start
    print(f"round {model.n_iter_}/{TREES}  {seconds:.1f} s", file=sys.stderr)
    stages = curve(y_test, model.staged_predict(X_test))
    return Result("scikit-learn", model.n_iter_, seconds, stages)


def check_round_trip(booster: Booster, X: Array) -> int:
    """Save and reload the model, insist on equal predictions, and return the size of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.plb"
        booster.save(path)
        loaded = Booster.load(path)
        size = path.stat().st_size
    if not np.array_equal(loaded.predict(X), booster.predict(X)):
        raise RuntimeError("the reloaded model predicts other numbers than the saved one")
    return size


def draw(results: list[Result], booster: Booster, path: Path) -> None:
    """Write a picture: learning curves on the left, the lines of one leaf on the right."""
    tree = booster.tree(0)
    leaf = max(tree.leaves, key=lambda leaf: (len(leaf.slopes), leaf.weight))
    if not leaf.slopes:
        raise RuntimeError("the first tree has no leaf with a slope")
    figure = plt.figure(figsize=(13, 4.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 1.6])
    axes = left.subplots()
    for result in results:
        axes.plot(range(1, result.trees + 1), result.curve, label=result.name)
    axes.set(xlabel="trees", ylabel="test error in cm", yscale="log", title="learning curves")
    axes.legend()
    panels = right.subplots(1, len(leaf.slopes), sharey=True, squeeze=False)[0]
    plot_leaf(booster, tree.index, leaf.leaf, axes=list(panels))
    right.suptitle(f"lines of leaf {leaf.leaf} of tree {tree.index}: {leaf.weight:.0f} rows")
    figure.savefig(path, dpi=120)
    if path.stat().st_size == 0:
        raise RuntimeError(f"{path} is empty")


def main() -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=40_000, help="rows of data (default: 40000)")
    parser.add_argument("--output", type=Path, default=Path("demo.png"), help="picture to write")
    arguments = parser.parse_args()

    X, y = robot_arm(arguments.rows, seed=0)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0)
    missing = np.isnan(X[:, NAMES.index("load")]).mean()
    print(f"robot arm: {len(y_train)} rows to train, {len(y_test)} to test")
    print(f"the load is missing in {missing:.0%} of them")

    ours, booster = train_plboost(X_train, y_train, X_test, y_test)
    theirs = train_sklearn(X_train, y_train, X_test, y_test)
    size = check_round_trip(booster, X_test)
    draw([ours, theirs], booster, arguments.output)

    print(f"\n{'':<14}{'test error':>12}{'trees':>8}{'seconds':>10}")
    for result in (ours, theirs):
        last = f"{result.curve[-1]:.3f} cm"
        print(f"{result.name:<14}{last:>12}{result.trees:>8}{result.seconds:>10.2f}")
    print(f"\nsaved and reloaded: {size / 1024:.0f} KiB, same predictions bit for bit")
    print(f"picture: {arguments.output}")
    if ours.curve[-1] >= theirs.curve[-1]:
        raise RuntimeError("plboost is not better than scikit-learn on this smooth function")


if __name__ == "__main__":
    main()
