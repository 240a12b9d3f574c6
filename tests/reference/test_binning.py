"""Binning against answers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.binning import LARGEST_VALUE, encode, find_bins


def test_few_values_give_one_bin_each() -> None:
    bins = find_bins([3.0, 1.0, 2.0, 1.0], np.ones(4), max_bins=3)
    assert bins.edges.tolist() == [1.5, 2.5]
    assert bins.means.tolist() == [1.0, 2.0, 3.0]
    assert bins.mu == 1.75
    # Means 1, 2, 3 weighing 2, 1, 1.
    sigma = np.sqrt((2 * 0.75**2 + 0.25**2 + 1.25**2) / 4)
    assert bins.sigma == pytest.approx(sigma, rel=1e-15)
    expected = np.append((np.array([1.0, 2.0, 3.0]) - 1.75) / sigma, 0.0).astype(np.float32)
    assert bins.u.tolist() == expected.astype(np.float64).tolist()
    assert encode([1.5, np.nextafter(1.5, 2), np.nan, -np.inf, np.inf], bins).tolist() == [
        0,
        1,
        3,
        0,
        2,
    ]


def test_equal_frequencies() -> None:
    # Eight values of weight 1 in four bins: target 2, each pair closes a bin.
    bins = find_bins(np.arange(8.0), np.ones(8), max_bins=4)
    assert bins.edges.tolist() == [1.5, 3.5, 5.5]
    assert bins.means.tolist() == [0.5, 2.5, 4.5, 6.5]


def test_frequent_value_gets_its_own_bin() -> None:
    # K = 3, W = 9: frequent from weight 3 on, that is the value 2 (5 rows). The other four rows
    # share two bins, target 2. Behind 1 (weight 2 >= 2) a bin closes, then 2 alone, then the rest.
    values = np.array([0, 1, 2, 2, 2, 2, 2, 3, 4], dtype=float)
    bins = find_bins(values, np.ones(9), max_bins=3)
    assert bins.edges.tolist() == [1.5, 2.5]
    assert bins.means.tolist() == [0.5, 2.0, 3.5]


def test_a_value_that_fills_a_bin_exactly_is_frequent() -> None:
    # K = 3, W = 9: the value 2 weighs W / K = 3. The others weigh 6 in two bins, target 3: the
    # first closes half full before the frequent value.
    values = np.array([0, 1, 2, 2, 2, 3, 4, 5, 6], dtype=float)
    assert find_bins(values, np.ones(9), max_bins=3).edges.tolist() == [1.5, 2.5]


def test_half_full_bin_closes_before_a_frequent_value() -> None:
    # K = 3, W = 10, frequent: the value 1 (6 rows). Rest 4 rows in two bins, target 2. The value 0
    # (1 row) is half of the target and 1 comes next, so it closes; then rest_bins = 1, target 3.
    values = np.array([0, 1, 1, 1, 1, 1, 1, 2, 3, 4], dtype=float)
    bins = find_bins(values, np.ones(10), max_bins=3)
    assert bins.edges.tolist() == [0.5, 1.5]


def test_less_than_half_full_bin_joins_the_frequent_value() -> None:
    # As above with the values 0 and 2..5 of weights 1 and 5 in all: target 3, so that 0 (below
    # 1.5) stays open and shares its bin with the frequent value 1.
    values = np.array([0, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6], dtype=float)
    bins = find_bins(values, np.ones(12), max_bins=3)
    # Behind 1 the bin closes; target stays 3 with rest_weight 5: 2, 3, 4 close the second bin.
    assert bins.edges.tolist() == [1.5, 4.5]
    assert bins.means[0] == pytest.approx(6 / 7)


def test_missing_and_infinite_values_take_no_part() -> None:
    bins = find_bins([1.0, np.nan, np.inf, -np.inf, 3.0], np.ones(5), max_bins=10)
    assert (bins.n_bins, bins.has_missing, bins.low, bins.high) == (2, True, 1.0, 3.0)
    assert (bins.mu, bins.sigma) == (2.0, 1.0)
    assert bins.u.tolist() == [-1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("values", "usable", "can_regress", "n_bins"),
    [
        ([1.0, 1.0], False, False, 1),
        ([1.0, np.nan], True, False, 1),
        ([1.0, 2.0], True, True, 2),
        ([np.nan, np.nan], False, False, 0),
        ([np.inf, -np.inf], False, False, 0),
    ],
)
def test_usable(values: list[float], usable: bool, can_regress: bool, n_bins: int) -> None:
    bins = find_bins(values, np.ones(2), max_bins=5)
    assert (bins.usable, bins.can_regress, bins.n_bins) == (usable, can_regress, n_bins)
    assert bins.u[-1] == 0.0
    assert len(bins.u) == n_bins + 1


def test_huge_values_are_clipped_and_do_not_overflow() -> None:
    bins = find_bins([-1.7e308, 1.7e308, 1.7e308, 0.0], np.full(4, 100.0), max_bins=5)
    assert (bins.low, bins.high) == (-LARGEST_VALUE, LARGEST_VALUE)
    assert np.all(np.isfinite(bins.u))
    assert np.isfinite(bins.sigma)
    assert bins.sigma > 0.0


def test_edge_between_neighbours_is_the_lower_one() -> None:
    low = 1.0
    high = float(np.nextafter(low, 2.0))
    bins = find_bins([low, high], np.ones(2), max_bins=5)
    assert bins.edges.tolist() == [low]
    assert encode([low, high], bins).tolist() == [0, 1]


values_and_weights = st.lists(
    st.tuples(
        st.one_of(st.integers(-20, 20).map(float), st.sampled_from([np.nan, np.inf, -np.inf])),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=60,
)


@given(rows=values_and_weights, max_bins=st.integers(2, 12))
def test_weight_counts_rows(rows: list[tuple[float, int]], max_bins: int) -> None:
    values = np.array([value for value, _ in rows])
    weights = np.array([weight for _, weight in rows])
    weighted = find_bins(values, weights, max_bins)
    repeated = find_bins(np.repeat(values, weights), np.ones(np.sum(weights)), max_bins)
    assert weighted.edges.tolist() == repeated.edges.tolist()
    assert weighted.has_missing == repeated.has_missing
    np.testing.assert_allclose(weighted.u, repeated.u, rtol=1e-6, atol=1e-6)


@given(rows=values_and_weights, max_bins=st.integers(2, 12))
def test_no_more_bins_than_allowed_and_none_empty(
    rows: list[tuple[float, int]], max_bins: int
) -> None:
    values = np.array([value for value, _ in rows])
    bins = find_bins(values, np.ones(len(values)), max_bins)
    finite = values[np.isfinite(values)]
    assert bins.n_bins <= max_bins
    assert bins.n_bins >= min(len(np.unique(finite)), 2)
    assert sorted(set(encode(finite, bins))) == list(range(bins.n_bins))
