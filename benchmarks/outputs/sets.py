"""Data with several targets: generated ones, one of scikit-learn, and files of the data folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.data import DataNotFoundError, data_folder, encode

__all__ = ["SETS", "Parts", "load_parts"]

Array = npt.NDArray[np.float64]
N_FEATURES = 12
N_TEST = 4000


@dataclass(frozen=True)
class Parts:
    """Training, validation and test part; targets are [rows, outputs]."""

    X: tuple[Array, Array, Array]
    Y: tuple[Array, Array, Array]


Source = Callable[[int, np.random.Generator], tuple[Array, Array]]
"""Rows at least wanted -> features and targets; generated sets give just as many."""


def smooth(X: Array, rng: np.random.Generator) -> Array:
    """Return a random function of four columns: a line, a sine, a product and a bend."""
    a, b, c, d = rng.permutation(X.shape[1])[:4]
    s = rng.choice([-1.0, 1.0], size=4)
    f = s[0] * X[:, a] + s[1] * np.sin(2 * X[:, b]) + s[2] * X[:, a] * X[:, c]
    return np.asarray(f + s[3] * np.abs(X[:, d]))


def mixtures(n_outputs: int, n_functions: int, noise: float = 0.5) -> Source:
    """Outputs that are random sums of a few functions."""

    def draw(n_rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        X = rng.normal(size=(n_rows, N_FEATURES))
        F = np.column_stack([smooth(X, rng) for _ in range(n_functions)])
        Y = F @ rng.normal(size=(n_functions, n_outputs))
        return X, Y + noise * np.std(Y, axis=0) * rng.normal(size=Y.shape)

    return draw


def repeats(n_rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """One function six times, each with noise of its own: the best case for one structure."""
    X = rng.normal(size=(n_rows, N_FEATURES))
    f = smooth(X, rng)
    return X, f[:, None] + np.std(f) * rng.normal(size=(n_rows, 6))


def unrelated(n_rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Four functions of four columns each."""
    X = rng.normal(size=(n_rows, 16))
    Y = np.column_stack([smooth(X[:, 4 * k : 4 * k + 4], rng) for k in range(4)])
    return X, Y + 0.5 * np.std(Y, axis=0) * rng.normal(size=Y.shape)


def digits(n_rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Upper halves of digits; ten pixels of the lower halves that vary most."""
    from sklearn.datasets import load_digits

    pixels = load_digits().data
    order = 32 + np.argsort(-np.std(pixels[:, 32:], axis=0))
    return pixels[:, :32], pixels[:, order[:10]]


def from_file(file: str, targets: list[str], drop: tuple[str, ...] = ()) -> Source:
    """Columns of a file as targets, all others but the dropped ones as features."""

    def read(n_rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        path = data_folder() / f"{file}.parquet"
        if not path.exists():
            raise DataNotFoundError(f"{path} is not there. Set PLBOOST_DATA to its folder.")
        frame = pd.read_parquet(path).dropna()
        X, _ = encode(frame.drop(columns=[*targets, *drop]))
        return X, frame[targets].to_numpy(np.float64)

    return read


ROOMS = [f"T{i}" for i in range(1, 10)]
SETS: dict[str, Source] = {
    "repeats": repeats,
    "mixtures-6-of-2": mixtures(6, 2),
    "mixtures-10-of-3": mixtures(10, 3),
    "unrelated": unrelated,
    "digits": digits,
    "gas_turbine": from_file("gas_turbine", ["target", "TEY", "CDP", "TAT"], ("year",)),
    "energy": from_file("energy", ["target", "lights"], ("date",)),
    "rooms": from_file("energy", ROOMS, ("date", "target")),
    "beijing_air": from_file("beijing_air", ["target", "PM10", "SO2", "NO2", "CO", "O3"]),
}


def load_parts(name: str, n_rows: int, seed: int) -> Parts:
    """Draw n_rows training rows, a third as many for validation, and a test part."""
    rng = np.random.default_rng(seed)
    n_valid = n_rows // 3
    X, Y = SETS[name](n_rows + n_valid + N_TEST, rng)
    order = rng.permutation(len(X))
    # A small set keeps a fifth for the test.
    n_used = min(n_rows + n_valid, round(0.8 * len(X)))
    n_train = round(n_used * n_rows / (n_rows + n_valid))
    cuts = [order[:n_train], order[n_train:n_used], order[n_used : n_used + N_TEST]]
    train, valid, test = cuts
    return Parts((X[train], X[valid], X[test]), (Y[train], Y[valid], Y[test]))
