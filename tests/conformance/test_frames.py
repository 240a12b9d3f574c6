"""Frames of every library give the model of the array they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from plboost import Dataset, PLBoostClassifier, PLBoostRegressor, train

NAMES = ["height", "weight", "count"]


def problem() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 9, size=200)])
    return X, X[:, 0] * X[:, 2]


def pandas_frame(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=NAMES)


def polars_frame(X: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame(X, schema=NAMES)


Frame = Callable[[np.ndarray], Any]
frames = pytest.mark.parametrize("frame", [pandas_frame, polars_frame])


@frames
@pytest.mark.parametrize("estimator", [PLBoostRegressor, PLBoostClassifier])
def test_estimators_remember_the_names(frame: Frame, estimator: Any) -> None:
    X, y = problem()
    target = y if estimator is PLBoostRegressor else y > 0
    table = frame(X)
    model = estimator(n_estimators=4, random_state=0).fit(table, target, eval_set=(table, target))
    plain = estimator(n_estimators=4, random_state=0).fit(X, target, eval_set=(X, target))
    assert model.feature_names_in_.tolist() == model.booster_.feature_names == NAMES
    assert model.evals_result_ == plain.evals_result_
    np.testing.assert_array_equal(model.predict(table), plain.predict(X))
    np.testing.assert_array_equal(model.booster_.predict(table), plain.booster_.predict(X))


@frames
def test_datasets_remember_the_names(frame: Frame) -> None:
    X, y = problem()
    table = frame(X)
    booster = train({"n_estimators": 4}, Dataset(table, y), eval_sets={"valid": (table, y)})
    assert booster.feature_names == NAMES
    named = train(
        {"n_estimators": 4}, Dataset(X, y, feature_names=NAMES), eval_sets={"valid": (X, y)}
    )
    assert booster.to_bytes() == named.to_bytes()


@frames
def test_columns_of_different_numeric_types(frame: Frame) -> None:
    X, y = problem()
    table = frame(X)
    if isinstance(table, pd.DataFrame):
        mixed = table.astype({"height": np.float32, "count": np.int8})
    else:
        mixed = table.cast({"height": pl.Float32, "count": pl.Int8})
    rounded = X.copy()
    rounded[:, 0] = X[:, 0].astype(np.float32)
    expected = PLBoostRegressor(n_estimators=3, random_state=0).fit(rounded, y)
    found = PLBoostRegressor(n_estimators=3, random_state=0).fit(mixed, y)
    np.testing.assert_array_equal(found.predict(mixed), expected.predict(rounded))


def with_missing() -> np.ndarray:
    X, _ = problem()
    X[::3, 2] = np.nan
    return X


@pytest.mark.parametrize(
    "table",
    [
        pandas_frame(with_missing()).astype({"count": "Int64", "height": "Float64"}),
        pandas_frame(with_missing()).astype({"count": object}).replace({np.nan: None}),
        polars_frame(with_missing()).with_columns(pl.col("count").fill_nan(None).cast(pl.Int64)),
    ],
)
def test_missing_values_of_frames_are_nan(table: Any) -> None:
    X, y = with_missing(), problem()[1]
    expected = PLBoostRegressor(n_estimators=3, random_state=0).fit(X, y)
    found = PLBoostRegressor(n_estimators=3, random_state=0).fit(table, y)
    np.testing.assert_array_equal(found.predict(table), expected.predict(X))


@frames
def test_booleans_are_numbers(frame: Frame) -> None:
    X, y = problem()
    signs = X > 0
    expected = PLBoostRegressor(n_estimators=3, random_state=0).fit(signs.astype(float), y)
    found = PLBoostRegressor(n_estimators=3, random_state=0).fit(frame(signs), y)
    np.testing.assert_array_equal(
        found.predict(frame(signs)), expected.predict(signs.astype(float))
    )


@frames
def test_targets_and_weights_may_be_columns(frame: Frame) -> None:
    X, y = problem()
    weight = np.linspace(0, 2, len(y))
    table = frame(np.column_stack([X[:, 0], y, weight]))
    expected = PLBoostRegressor(n_estimators=3, random_state=0).fit(X, y, weight)
    found = PLBoostRegressor(n_estimators=3, random_state=0)
    found.fit(X, table["weight"], sample_weight=table["count"])
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_floating_point_arrays_reach_the_core_without_a_copy(
    dtype: Any, order: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = problem()
    matrix = np.asarray(X, dtype=dtype, order=order)
    seen = []

    def record(core_dataset: Any) -> Any:
        def build(features: np.ndarray, *args: Any, **kwargs: Any) -> Any:
            seen.append(features)
            return core_dataset(features, *args, **kwargs)

        return build

    from plboost import dataset

    monkeypatch.setattr(dataset._core, "Dataset", record(dataset._core.Dataset))
    PLBoostRegressor(n_estimators=1).fit(matrix, y)
    Dataset(matrix, y)
    assert len(seen) == 2
    assert all(np.shares_memory(features, matrix) for features in seen)


def test_pandas_columns_without_string_names_are_numbered() -> None:
    X, y = problem()
    model = PLBoostRegressor(n_estimators=1).fit(pd.DataFrame(X), y)
    assert not hasattr(model, "feature_names_in_")
    assert model.booster_.feature_names == ["x0", "x1", "x2"]
