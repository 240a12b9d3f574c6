from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.tasks.data import load_parts
from benchmarks.tasks.metrics import measured
from plboost import Dataset


def test_the_same_codes_are_numbers_or_categories() -> None:
    numbers, categories = (
        load_parts("codes-1000-" + kind).X_train for kind in ("numbers", "categories")
    )
    assert (pd.DataFrame(numbers) == categories.astype(float).to_numpy()).all(axis=None)
    y = np.zeros(len(numbers))
    assert len(Dataset(categories, y).categories) == 10


def test_ndcg_leaves_out_queries_without_gains() -> None:
    grades = np.array([1.0, 0.0, 0.0, 0.0])
    scores = np.array([0.0, 1.0, 0.0, 1.0])
    sizes = np.array([2, 2])
    assert measured("ndcg@5", grades, scores, sizes=sizes) == pytest.approx(1 / np.log2(3))
