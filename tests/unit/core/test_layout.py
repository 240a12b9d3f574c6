"""PLBOOST_LAYOUT changes how rows are kept while a tree grows, and no bit of the model."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from plboost import _core
from tests.rounds import train_rounds

LAYOUTS = ("leaf_order", "looped_order", "row_order")
FITTINGS = ("half_additive", "fully_corrective")


@pytest.fixture(scope="module")
def rows():
    # More than one thread takes at a time, so that large nodes are split by two threads together.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 6))
    X[:, 4:] = rng.integers(0, 3, size=(len(X), 2))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + X[:, 4])
    return X, y + 0.1 * rng.normal(size=len(X)), rng.integers(1, 5, size=len(X)) / 4


def digest(rows, loss, weighted, **parameters):
    X, y, weight = rows
    target = y if loss == "squared_error" else (y > y.mean()).astype(float)
    data = _core.Dataset(X, target, weight if weighted else None, max_bins=63, seed=1, n_threads=2)
    options = _core.TrainingOptions()
    for name, value in {"loss": loss, "max_leaves": 12, **parameters}.items():
        setattr(options, name, value)
    forest = train_rounds(data, options, n_rounds=2, n_threads=2)
    assert forest.n_trees == 2
    assert len(forest.to_arrays()["node_feature"]) > 8
    arrays = sorted(forest.to_arrays().items())
    return hashlib.sha256(b"".join(array.tobytes() for _, array in arrays)).hexdigest()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
@pytest.mark.parametrize("fitting", FITTINGS)
@pytest.mark.parametrize("sample", [0.3, 1.0])
def test_models_are_the_same_bits_for_every_layout(
    rows, monkeypatch, loss, weighted, fitting, sample
):
    found = set()
    for layout in LAYOUTS:
        monkeypatch.setenv("PLBOOST_LAYOUT", layout)
        found.add(
            digest(
                rows,
                loss,
                weighted,
                fitting=fitting,
                split_sample=sample,
                split_sample_rows=0,
            )
        )
    assert len(found) == 1


def test_an_unknown_layout_is_refused_by_name(rows, monkeypatch):
    monkeypatch.setenv("PLBOOST_LAYOUT", "columns")
    with pytest.raises(
        ValueError,
        match=r"PLBOOST_LAYOUT must be one of 'leaf_order', 'looped_order', 'row_order'; "
        r"got 'columns'\.",
    ):
        digest(rows, "squared_error", weighted=False)
