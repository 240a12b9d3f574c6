"""The data of the benchmarks: local files, paper sets from elsewhere, and synthetic rows.

Local files are looked for in the folder that ``PLBOOST_DATA`` names, by default ``../shared/data``
seen from the root of the repository: Parquet, a column ``target``, text columns are categories.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.packaged_data import PACKAGED, read_packaged
from benchmarks.synthetic import synthetic

__all__ = ["SETS", "DataNotFoundError", "Problem", "data_folder", "load"]

Task = Literal["regression", "binary", "multiclass", "ranking"]
FloatArray = npt.NDArray[np.floating[Any]]

ROOT = Path(__file__).resolve().parents[1]
TEST_SHARE = 0.2
LARGEST_SYNTHETIC_TEST = 100_000


class DataNotFoundError(RuntimeError):
    """The data set is not on this machine, and the message says where to put it."""


@dataclass(frozen=True)
class Problem:
    """A data set split into a training and a test part."""

    name: str
    task: Task
    X_train: FloatArray
    y_train: npt.NDArray[np.float64]
    X_test: FloatArray
    y_test: npt.NDArray[np.float64]
    feature_names: list[str]
    categorical: list[int]
    """Columns that hold ordinal codes of categories."""
    groups_train: npt.NDArray[Any] | None = None
    groups_test: npt.NDArray[Any] | None = None

    @property
    def loss(self) -> str:
        """The loss of plboost that fits the task."""
        losses = {"regression": "squared_error", "binary": "log_loss"}
        if self.task not in losses:
            raise ValueError(
                f"the task of {self.name} is {self.task}: the contestants are compared on "
                "regression and on two classes only. Choose another set, for example "
                "'covtype-2' instead of 'covtype'."
            )
        return losses[self.task]

    @property
    def metric(self) -> str:
        return "rmse" if self.loss == "squared_error" else "log_loss"


@dataclass(frozen=True)
class Source:
    """Where a set comes from and how its columns are read."""

    file: str
    task: Task = "regression"
    drop: tuple[str, ...] = ()
    transform: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]] | None = None
    time: tuple[str, ...] = ()
    """Columns that order the rows in time, for ``split="time"``."""
    last_training_value: Any = None
    """With it ``split="time"`` trains up to and with this value of the first time column."""
    test_flag: str | None = None
    group: str | None = None
    elsewhere: Elsewhere | None = None


@dataclass(frozen=True)
class Elsewhere:
    """A paper set that the data folder lacks: raw file of its origin, or OpenML by name.

    Names there are not unique, so the number of columns is checked.
    """

    openml: str
    n_features: int
    raw_files: tuple[str, ...] = ()
    """Names of the origin's own files; several are one below the other."""
    header: int | None = None
    target: int = 0
    drop: tuple[int, ...] = field(default=())


def _is_class_two(y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return (y == 2).astype(np.float64)


def _is_positive(y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return (y > 0).astype(np.float64)


_AIR_TIME = ("year", "month", "day", "hour")
SETS: dict[str, Source] = {
    "casp": Source("casp"),
    "sgemm": Source("sgemm"),
    "log_sgemm": Source("sgemm", transform=np.log),
    "superconductor": Source("superconductor"),
    "energy": Source("energy", drop=("date",), time=("date",)),
    "higgs": Source("higgs", "binary"),
    "covtype": Source("covtype", "multiclass"),
    "covtype-2": Source("covtype", "binary", transform=_is_class_two),
    "beijing_air": Source("beijing_air", time=_AIR_TIME),
    "gas_turbine": Source("gas_turbine", drop=("year",), time=("year",), last_training_value=2013),
    "california": Source("california"),
    "diamonds": Source("diamonds"),
    "bike": Source("bike", drop=("dteday",), time=("dteday", "hr")),
    "kc_house": Source("kc_house"),
    "lambdarank": Source(
        "lambdarank", "ranking", drop=("qid", "is_test"), test_flag="is_test", group="qid"
    ),
    "kin40k": Source("kin40k"),
    "year": Source(
        "year", elsewhere=Elsewhere("YearPredictionMSD", 90, ("YearPredictionMSD.txt",))
    ),
    "ct": Source(
        "ct",
        elsewhere=Elsewhere(
            "CT-slices", 384, ("slice_localization_data.csv",), header=0, target=-1, drop=(0,)
        ),
    ),
    "hepmass": Source(
        "hepmass",
        "binary",
        elsewhere=Elsewhere("HEPMASS", 28, ("all_train.csv", "all_test.csv"), header=0),
    ),
    "susy": Source("susy", "binary", elsewhere=Elsewhere("SUSY", 18, ("SUSY.csv",))),
    "epsilon": Source(
        "epsilon", "binary", transform=_is_positive, elsewhere=Elsewhere("epsilon", 2000)
    ),
    "full_higgs": Source("full_higgs", "binary", elsewhere=Elsewhere("Higgs", 28, ("HIGGS.csv",))),
    **{
        name: Source(table.origin, "regression" if table.positive is None else "binary")
        for name, table in PACKAGED.items()
    },
}


def data_folder() -> Path:
    """Return the folder of the local files, whether it exists or not."""
    return Path(os.environ.get("PLBOOST_DATA") or ROOT.parent / "shared" / "data")


def load(
    name: str,
    *,
    seed: int = 0,
    split: Literal["random", "time"] = "random",
    max_rows: int | None = None,
    n_test: int | None = None,
) -> Problem:
    """Load a set by name; ``synthetic-<rows>`` generates one.

    ``split="time"`` tests on the end of a time series (on the years after 2013 for gas_turbine)
    and is an error for the other sets. ``max_rows`` bounds the training part, for dry runs.
    ``n_test`` is the size of a random test part, by default a fifth of the rows.
    """
    if name.startswith("synthetic-"):
        return _synthetic_problem(name, seed, max_rows)
    if name not in SETS:
        raise ValueError(
            f"name must be synthetic-<rows> or one of {', '.join(SETS)}, got {name!r}. "
            "Add a new file to benchmarks.data.SETS."
        )
    source = SETS[name]
    frame = read_packaged(name) if name in PACKAGED else _read(name, source)
    train, test = _split_rows(name, source, frame, seed, split, n_test)
    if max_rows is not None:
        train = train[:max_rows]
    y = frame["target"].to_numpy(np.float64)
    y = y if source.transform is None else source.transform(y)
    groups = None if source.group is None else frame[source.group].to_numpy()
    features = frame.drop(columns=["target", *source.drop])
    X, categorical = encode(features)
    return Problem(
        name=name,
        task=source.task,
        X_train=X[train],
        y_train=y[train],
        X_test=X[test],
        y_test=y[test],
        feature_names=[str(column) for column in features.columns],
        categorical=categorical,
        groups_train=None if groups is None else groups[train],
        groups_test=None if groups is None else groups[test],
    )


def encode(frame: pd.DataFrame) -> tuple[npt.NDArray[np.float64], list[int]]:
    """Turn a frame into float64; categories become codes in the order of their names."""
    X = np.empty(frame.shape)
    categorical = []
    for j, column in enumerate(frame.columns):
        values = frame[column]
        if pd.api.types.is_numeric_dtype(values):
            X[:, j] = values.to_numpy(np.float64, na_value=np.nan)
            continue
        codes, _ = pd.factorize(values.astype("string"), sort=True)
        X[:, j] = np.where(codes < 0, np.nan, codes)
        categorical.append(j)
    return X, categorical


def _synthetic_problem(name: str, seed: int, max_rows: int | None) -> Problem:
    text = name.removeprefix("synthetic-")
    if not text.isdecimal():
        raise ValueError(
            f"a synthetic set is named synthetic-<rows>, got {name!r}. Use synthetic-400000."
        )
    n_train = min(int(text), max_rows or int(text))
    n_test = min(n_train // 4, LARGEST_SYNTHETIC_TEST)
    X, y = synthetic(n_train + n_test, seed=seed)
    return Problem(
        name=name,
        task="regression",
        X_train=X[:n_train],
        y_train=y[:n_train],
        X_test=X[n_train:],
        y_test=y[n_train:],
        feature_names=[f"x{j}" for j in range(X.shape[1])],
        categorical=[],
    )


def _split_rows(
    name: str, source: Source, frame: pd.DataFrame, seed: int, split: str, n_test: int | None
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    if source.test_flag is not None:
        is_test = frame[source.test_flag].to_numpy(bool)
        return np.flatnonzero(~is_test), np.flatnonzero(is_test)
    n_test = round(TEST_SHARE * len(frame)) if n_test is None else n_test
    if split == "random":
        order = np.random.default_rng(seed).permutation(len(frame))
        return order[n_test:], order[:n_test]
    if not source.time:
        raise ValueError(
            f"{name} has no order in time, got split={split!r}. Use split='random', or one of "
            f"{', '.join(key for key, value in SETS.items() if value.time)}."
        )
    if source.last_training_value is not None:
        is_test = (frame[source.time[0]] > source.last_training_value).to_numpy()
        return np.flatnonzero(~is_test), np.flatnonzero(is_test)
    order = np.lexsort([frame[column].to_numpy() for column in reversed(source.time)])
    return order[:-n_test], order[-n_test:]


def _read(name: str, source: Source) -> pd.DataFrame:
    folder = data_folder()
    for suffix, read in ((".parquet", pd.read_parquet), (".csv", pd.read_csv)):
        path = folder / f"{source.file}{suffix}"
        if path.exists():
            return read(path)
    if source.elsewhere is not None:
        return _read_elsewhere(name, source.elsewhere, folder)
    raise DataNotFoundError(
        f"{name} needs {source.file}.parquet in {folder}, where it is not. "
        "Set PLBOOST_DATA to the folder that holds it."
    )


def _read_elsewhere(name: str, source: Elsewhere, folder: Path) -> pd.DataFrame:
    raw = [(folder / file, folder / f"{file}.gz") for file in source.raw_files]
    found = [next((path for path in pair if path.exists()), None) for pair in raw]
    if found and None not in found:
        parts = [pd.read_csv(path, header=source.header) for path in found]
        frame = pd.concat(parts, ignore_index=True)
        target = frame.columns[source.target]
        frame = frame.rename(columns={target: "target"})
        frame = frame.drop(columns=[frame.columns[j] for j in source.drop])
    else:
        frame = _fetch_openml(name, source, folder)
    if frame.shape[1] - 1 != source.n_features:
        raise DataNotFoundError(
            f"{name} must have {source.n_features} feature columns, got {frame.shape[1] - 1}: "
            "this is another data set of that name. Put the right one into the folder "
            f"{folder} as {name}.parquet with a column 'target'."
        )
    return frame


def _fetch_openml(name: str, source: Elsewhere, folder: Path) -> pd.DataFrame:
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(source.openml, as_frame=True, parser="auto")
    except Exception as error:  # no network, no such name, a server that fails: all the same here
        files = " and ".join(source.raw_files)
        raise DataNotFoundError(
            f"{name} is neither in {folder} nor to be had from OpenML as {source.openml!r} "
            f"({type(error).__name__}: {error}). Put {name}.parquet with a column 'target'"
            + (f", or the original {files}," if files else "")
            + " into that folder, or set PLBOOST_DATA."
        ) from error
    target = pd.to_numeric(pd.Series(np.asarray(bunch.target)), errors="raise")
    return pd.DataFrame(bunch.data).assign(target=target.to_numpy(np.float64))
