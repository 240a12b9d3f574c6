from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost._core import stages
from tests.problems import STEADY


def check(items, goes_left):
    left, right = stages.partition(items, goes_left)
    assert left.tolist() == items[goes_left].tolist()
    assert right.tolist() == items[~goes_left].tolist()


@settings(STEADY, max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.booleans()), max_size=200))
def test_stable_and_complete(rows):
    items = np.array([item for item, _ in rows], dtype=np.uint32)
    check(items, np.array([side for _, side in rows], dtype=bool))


@pytest.mark.parametrize("n", range(201))
def test_every_length(n):
    items = np.arange(n, dtype=np.uint32) * 7 + 1
    check(items, np.ones(n, dtype=bool))
    check(items, np.zeros(n, dtype=bool))
    check(items, np.random.default_rng(n).random(n) < 0.5)


def test_longer_than_a_task_of_rows():
    items = np.arange(50_000, dtype=np.uint32)
    check(items, items % 3 == 0)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="goes_left must have 3 elements, got 2"):
        stages.partition(np.zeros(3, dtype=np.uint32), np.zeros(2, dtype=bool))
