"""A reader written from docs/model-format.md alone understands the files of plboost."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plboost import Dataset, train
from plboost.model_file import ARRAYS

PAGE = Path(__file__).parents[2] / "docs" / "model-format.md"


def read(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    assert data[:8] == b"\x89PLB\r\n\x1a\n"
    version, reserved = np.frombuffer(data, "<u4", count=2, offset=8)
    header_bytes, total = (int(n) for n in np.frombuffer(data, "<u8", count=2, offset=16))
    assert (version, reserved, total) == (3, 0, len(data))
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]
    header = json.loads(data[32 : 32 + header_bytes])
    arrays = {
        entry["name"]: np.frombuffer(
            data,
            np.dtype(entry["dtype"]).newbyteorder("<"),
            count=entry["length"],
            offset=32 + header_bytes + entry["offset"],
        )
        for entry in header["arrays"]
    }
    return header, arrays


def predict(header: dict[str, Any], arrays: dict[str, np.ndarray], X: np.ndarray) -> np.ndarray:
    a = arrays
    sets = a["node_category_set"]
    leaf_number = np.cumsum(a["node_feature"] < 0) - 1
    clipped = np.isinf(X) | (a["feature_clips"] == 1)
    finite = np.where(clipped, np.clip(X, a["feature_min"], a["feature_max"]), X)
    u = (finite - a["feature_mean"]) / a["feature_scale"]
    u = np.where(np.isnan(X), 0.0, np.clip(u, -1e15, 1e15))
    n_outputs = header["n_outputs"]
    scores = np.tile(a["base_score"], (len(X), 1))
    for t, first in enumerate(a["tree_node_start"][:-1]):
        for row in range(len(X)):
            node = 0
            while (feature := a["node_feature"][first + node]) >= 0:
                value = X[row, feature]
                left = (
                    a["node_missing_left"][first + node] == 1
                    if np.isnan(value)
                    else value <= a["node_threshold"][first + node]
                )
                if len(sets) and sets[first + node] >= 0 and not np.isnan(value):
                    byte = a["category_set"][32 * sets[first + node] + int(value) // 8]
                    left = byte >> int(value) % 8 & 1 == 1
                node = a["node_left"][first + node] + (0 if left else 1)
            leaf = leaf_number[first + node]
            output = a["leaf_intercept"][leaf]
            for k in range(a["leaf_regressor_start"][leaf], a["leaf_regressor_start"][leaf + 1]):
                output += a["regressor_slope"][k] * u[row, a["regressor_feature"][k]]
            output = min(max(output, a["leaf_low"][leaf]), a["leaf_high"][leaf])
            scores[row, t % n_outputs] += output
    if header["loss"] == "log_loss" and n_outputs > 1:
        return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    scores = scores if n_outputs > 1 else scores[:, 0]
    return 1 / (1 + np.exp(-scores)) if header["loss"] == "log_loss" else scores


@pytest.mark.parametrize(
    ("loss", "n_outputs"),
    [("squared_error", 1), ("squared_error", 2), ("log_loss", 1), ("log_loss", 3)],
)
def test_a_reader_written_from_the_page_predicts_the_same(loss: str, n_outputs: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(loc=5, size=(300, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0] * X[:, 1] - X[:, 2])
    if loss == "log_loss":
        y = np.digitize(y, np.quantile(y, [0.5] if n_outputs == 1 else [0.3, 0.6])).astype(float)
    elif n_outputs > 1:
        y = np.column_stack([y, -3 * y + np.nan_to_num(X[:, 0])])
    dataset = Dataset(X, y, feature_names=["a", "b", "c"])
    booster = train({"loss": loss, "n_estimators": 5}, dataset, eval_sets={"train": (X, y)})
    header, arrays = read(booster.to_bytes())
    rows = np.vstack([X[:80], [[np.inf, -np.inf, np.nan], [1e300, 0.0, -1e300]]])
    np.testing.assert_allclose(predict(header, arrays, rows), booster.predict(rows), rtol=1e-12)
    assert header["feature_names"] == booster.feature_names
    assert (header["n_outputs"], header["n_trees"]) == (n_outputs, 5 * n_outputs)
    (metric,) = booster.history["train"]
    assert header["history"] == [["train", metric]]
    assert arrays["history"].tolist() == booster.history["train"][metric]


def test_the_same_with_categories() -> None:
    rng = np.random.default_rng(1)
    X = np.empty((400, 2), dtype=object)
    X[:, 0] = rng.choice(["a", "b", "c", 4, None], size=400)
    X[:, 1] = rng.normal(size=400)
    y = np.array([{"a": 1.0, "b": -2.0, "c": 3.0, 4: 0.5, None: 7.0}[c] * x for c, x in X])
    dataset = Dataset(X, y, categorical_features=[0])
    booster = train({"n_estimators": 5}, dataset)
    header, arrays = read(booster.to_bytes())
    (entry,) = header["categories"]
    assert (entry["feature"], set(entry["values"])) == (0, {"a", "b", "c", 4})
    X[:3, 0] = ["unseen", 4.0, True]
    codes = {value: code for code, value in enumerate(entry["values"])}
    rows = np.array([[codes.get(c, np.nan), x] for c, x in X])
    np.testing.assert_allclose(predict(header, arrays, rows), booster.predict(X), rtol=1e-12)
    assert len(arrays["category_set"]) > 32


def with_means(header: dict[str, Any], arrays: dict[str, np.ndarray], X: np.ndarray) -> np.ndarray:
    n_means = len(arrays["category_prior"])
    means = arrays["category_mean"].reshape(-1, n_means)
    columns = {j: list(X[:, j]) for j in range(header["n_features"])}
    others = header["category_means"]["others"]
    start = 0
    for entry, more in zip(header["categories"], others, strict=True):
        feature, known = entry["feature"], [*entry["values"], *more]
        places = {value: start + i for i, value in enumerate(known)}
        rows = [
            np.full(n_means, np.nan)
            if value is None
            else means[places[value]]
            if value in places
            else arrays["category_prior"]
            for value in columns[feature]
        ]
        codes = {value: code for code, value in enumerate(entry["values"])}
        columns[feature] = [codes.get(value, np.nan) for value in columns[feature]]
        for k in range(n_means):
            columns[len(columns)] = [row[k] for row in rows]
        start += len(known)
    return np.array(list(columns.values()), dtype=float).T


@pytest.mark.parametrize("kind", ["target", "classes"])
def test_the_same_with_means_of_categories(kind: str) -> None:
    rng = np.random.default_rng(1)
    X = np.empty((600, 3), dtype=object)
    X[:, 0] = rng.choice(["a", "b", "c", 4, None], size=600)
    X[:, 1] = rng.normal(size=600)
    X[:, 2] = rng.integers(40, size=600)
    y = np.array([len(str(a)) * b + c % 7 for a, b, c in X], dtype=float)
    y = y if kind == "target" else np.digitize(y, [2.0, 5.0])
    dataset = Dataset(X, y, categorical_features=[0, 2], category_means=kind, max_bins=16)
    loss = "squared_error" if kind == "target" else "log_loss"
    booster = train({"n_estimators": 5, "loss": loss}, dataset)
    header, arrays = read(booster.to_bytes())
    assert [len(more) for more in header["category_means"]["others"]] == [0, 24]
    assert (header["n_features"], header["category_means"]["kind"]) == (3, kind)
    X[:3, 0] = ["unseen", 4.0, True]
    X[:3, 2] = [None, 1e6, 3.0]
    rows = with_means(header, arrays, X)
    np.testing.assert_allclose(predict(header, arrays, rows), booster.predict(X), rtol=1e-12)
    assert (arrays["node_feature"] >= 3).any()
    assert (arrays["regressor_feature"] >= 3).any()


def test_the_page_lists_every_array_with_its_type_in_order() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", PAGE.read_text(), re.MULTILINE)
    assert rows == list(ARRAYS.items())
