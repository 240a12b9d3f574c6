from __future__ import annotations

import numpy as np
import pytest

from benchmarks.missing.patterns import PATTERNS, with_indicators
from benchmarks.missing.ratios import Run, mean_text, table
from benchmarks.trouble.cases import Part


def part() -> Part:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 6))
    y = 2 * X[:, 3] + rng.normal(size=len(X))
    return Part(X[:4000], y[:4000], X[4000:], y[4000:], "squared_error")


@pytest.mark.parametrize(
    ("pattern", "share"),
    [
        ("as it is", 0.0),
        ("at random, 10 %", 0.1),
        ("at random, 30 %", 0.3),
        ("blocks of columns", 0.3),
        ("large values", 0.16),
        ("by the target, one column", 0.2 / 6),
        ("by the target, all columns", 0.2),
    ],
)
def test_patterns_take_their_share_of_both_parts(pattern: str, share: float) -> None:
    planted = part()
    PATTERNS[pattern](planted, np.random.default_rng(1))
    for X in (planted.X, planted.X_test):
        assert np.isnan(X).mean() == pytest.approx(share, abs=0.02)


def test_large_targets_miss_more_of_the_strongest_column() -> None:
    planted = part()
    PATTERNS["by the target, one column"](planted, np.random.default_rng(1))
    missing = np.isnan(planted.X)
    assert missing.any(axis=0).tolist() == [False, False, False, True, False, False]
    is_large = planted.y > np.median(planted.y)
    assert missing[is_large, 3].mean() > 1.5 * missing[~is_large, 3].mean()


def test_columns_of_a_block_are_missing_together() -> None:
    planted = part()
    PATTERNS["blocks of columns"](planted, np.random.default_rng(1))
    missing = np.isnan(planted.X)
    assert len(np.unique(missing, axis=1).T) == 3


def test_indicators_stand_behind_the_columns() -> None:
    X = with_indicators(np.array([[1.0, np.nan], [2.0, 3.0]]))
    np.testing.assert_array_equal(X, [[1.0, np.nan, 0.0, 1.0], [2.0, 3.0, 0.0, 0.0]])


def test_the_mean_is_geometric() -> None:
    assert mean_text([0.5, 2.0]) == "1.000 ± 0.693"


def test_a_table_compares_with_the_library_as_it_is() -> None:
    runs = [
        Run("casp", "blocks", seed, {"plain": 2.0, "lines": error}, {})
        for seed, error in enumerate((1.0, 4.0))
    ]
    assert table(runs, "lines")[-1] == "| blocks | 1.000 | 1.000 ± 0.693 |"
