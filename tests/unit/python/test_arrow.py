"""Tables of Arrow are what the same columns are in NumPy."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from plboost import PLBoostRegressor

SMALL = {"n_estimators": 5, "random_state": 0}


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    return {"a": rng.normal(size=300), "b": np.where(rng.uniform(size=300) < 0.1, np.nan, 1.0)}


@pytest.mark.parametrize("kind", [pa.table, pa.record_batch])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_numbers(numbers, kind, early_stopping):
    X = np.column_stack(list(numbers.values()))
    b = pa.array(numbers["b"], from_pandas=True)  # nulls for NaN
    table = kind({"a": pa.array(numbers["a"]), "b": b})
    y = numbers["a"] ** 2
    model = PLBoostRegressor(early_stopping=early_stopping, **SMALL).fit(table, y)
    plain = PLBoostRegressor(early_stopping=early_stopping, **SMALL).fit(X, y)
    assert model.predict(table).tobytes() == plain.predict(X).tobytes()


@pytest.mark.parametrize("early_stopping", [False, True])
def test_a_batch_with_categories(numbers, early_stopping):
    colour = pa.array(np.array(["red", "blue"])[np.arange(300) % 2]).dictionary_encode()
    batch = pa.record_batch({"colour": colour, "a": pa.array(numbers["a"])})
    y = numbers["a"] + (np.arange(300) % 2)
    model = PLBoostRegressor(early_stopping=early_stopping, **SMALL).fit(batch, y)
    again = PLBoostRegressor(early_stopping=early_stopping, **SMALL).fit(pa.table(batch), y)
    assert model.predict(batch).tobytes() == again.predict(pa.table(batch)).tobytes()


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pa.array(["1", "2", "3"]), "text"),
        (pa.array(["1", "2", "3"], pa.large_string()), "text"),
        (pa.array([b"1", b"2", b"3"]), "binary"),
        (pa.array([1, None, 3], pa.timestamp("s")), r"timestamp\[s\]"),
        (pa.array([1, 2, 3], pa.duration("ms")), r"duration\[ms\]"),
        (pa.array([1, 2, 3], pa.time32("s")), r"time32\[s\]"),
        (pa.array([[1.0], [2.0], [3.0]]), "list"),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_columns_that_are_no_numbers_are_named(column, words):
    table = pa.table({"a": [1.0, 2.0, 3.0], "odd": column})
    with pytest.raises((TypeError, ValueError), match=rf"not numeric: 'odd' \(.*{words}"):
        PLBoostRegressor(**SMALL).fit(table, [1.0, 2.0, 3.0])
