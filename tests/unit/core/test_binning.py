from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost._core import Dataset, stages
from tests.problems import STEADY
from tests.unit.core.grown import dataset

NAN, INF = np.nan, np.inf


def find_bins(values, weights=None, max_bins=255):
    values = np.asarray(values, dtype=np.float64)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    return stages.find_bins(values, weights, max_bins)


def codes(bins, values):
    return bins.encode(np.asarray(values, dtype=np.float64)).tolist()


def test_every_value_is_a_bin_when_there_are_few():
    bins = find_bins([3, 1, 2, 2, 10])
    assert bins.edges == [1.5, 2.5, 6.5]
    assert bins.means == [1, 2, 3, 10]
    assert (bins.low, bins.high, bins.has_missing) == (1, 10, False)
    assert codes(bins, [1, 1.5, 1.500001, 2, 2.5, 3, 6.5, 7, 1e300]) == [0, 0, 1, 1, 1, 2, 2, 3, 3]


def test_standardised_values_have_weighted_mean_0_and_deviation_1():
    bins = find_bins([0, 4], weights=[3, 1])
    assert (bins.mean, bins.scale) == (1.0, pytest.approx(np.sqrt(3.0), rel=1e-15))
    # Behind the bins stands the missing value: the mean.
    assert_allclose(bins.values, [-1 / np.sqrt(3), np.sqrt(3), 0.0], rtol=1e-7)


def test_frequent_value_has_a_bin_of_its_own():
    # W / K = 8/3 makes 5 frequent; the others share two bins of target 2.
    bins = find_bins([1, 2, 3, 4, 5, 5, 5, 5], max_bins=3)
    assert bins.edges == [2.5, 4.5]
    assert bins.means == [1.5, 3.5, 5.0]


def test_bin_closes_before_a_frequent_value_when_it_is_half_full():
    # 9 is frequent (4 >= 8/3), target = 4/2 = 2: 1 weighs half of that and stands alone.
    values = [1, 9, 9, 9, 9, 20, 21, 22]
    assert find_bins(values, max_bins=3).edges == [5.0, 14.5]
    # With weight 1/2 it does not (target = 3.5/2), and joins 9.
    weights = [0.5, 1, 1, 1, 1, 1, 1, 1]
    assert find_bins(values, weights, max_bins=3).edges == [14.5, 21.5]


def test_bin_mean_is_weighted():
    bins = find_bins([0, 1, 2, 3], weights=[1, 3, 1, 1], max_bins=2)
    # 1 is frequent (3 >= 6/2); 0 weighs 1 < target 3/1 but half of it is 1.5: it joins 1.
    assert bins.edges == [1.5]
    assert bins.means == [0.75, 2.5]


def test_infinities_take_the_outer_codes_and_nothing_else():
    bins = find_bins([1, 2, INF, -INF])
    assert (bins.means, bins.edges, bins.low, bins.high) == ([1, 2], [1.5], 1, 2)
    assert codes(bins, [-INF, 1, 2, INF]) == [0, 0, 1, 1]
    assert bins.mean == 1.5


def test_missing_has_the_code_behind_the_last_bin():
    bins = find_bins([1, NAN, 2, 3])
    assert bins.has_missing
    assert codes(bins, [NAN, 3, 99]) == [3, 2, 2]
    assert find_bins([1, 2]).encode(np.array([NAN])).tolist() == [2]


@pytest.mark.parametrize(
    ("values", "n_bins", "usable", "can_regress"),
    [
        ([7, 7, 7], 1, False, False),
        ([7, NAN, 7], 1, True, False),
        ([7, INF], 1, False, False),
        ([7, 8], 2, True, True),
        ([7, 8, NAN], 2, True, True),
        ([NAN, NAN], 0, False, False),
        ([INF, -INF], 0, False, False),
        ([INF, NAN], 0, False, False),
    ],
)
def test_usable_features(values, n_bins, usable, can_regress):
    bins = find_bins(values)
    assert (bins.n_bins, bins.usable, bins.can_regress) == (n_bins, usable, can_regress)
    assert len(bins.values) == n_bins + 1
    if n_bins < 2:
        assert bins.scale == 1.0
    assert np.isfinite(bins.values).all()


def test_edge_between_neighbouring_numbers_separates_them():
    one = 1.0
    two = np.nextafter(one, 2)
    three = np.nextafter(two, 2)
    for low, high in ((one, two), (two, three), (-two, -one), (0.0, 5e-324)):
        bins = find_bins([low, high])
        assert bins.edges == [low]
        assert codes(bins, [low, high]) == [0, 1]


def test_values_are_clipped_where_differences_would_overflow():
    largest = np.finfo(float).max
    bins = find_bins([-largest, largest])
    assert (bins.low, bins.high, bins.edges) == (-(2.0**1020), 2.0**1020, [0.0])
    assert codes(bins, [-largest, largest]) == [0, 1]
    assert_allclose(bins.values, [-1, 1, 0])


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_no_square_overflows_or_vanishes(scale):
    bins = find_bins(np.array([0.0, 4.0]) * scale, weights=[3, 1])
    assert_allclose(bins.scale, np.sqrt(3) * scale, rtol=1e-14)
    assert_allclose(bins.values[:2], [-1 / np.sqrt(3), np.sqrt(3)], rtol=1e-6)


@settings(STEADY, max_examples=150)
@given(
    values=st.lists(st.floats(), min_size=1, max_size=60)
    | st.lists(st.integers(0, 12).map(float), min_size=1, max_size=60),
    max_bins=st.integers(2, 20),
)
def test_codes_follow_edges(values, max_bins):
    bins = find_bins(values, max_bins=max_bins)
    values = np.array(values)
    got = bins.encode(values).astype(int)
    finite = np.isfinite(values)
    assert bins.n_bins == len(set(got[finite]))  # no bin is empty
    clipped = np.clip(values[finite], -(2.0**1020), 2.0**1020)
    assert bins.n_bins <= min(max_bins, len(np.unique(clipped)))
    assert (got[np.isnan(values)] == bins.n_bins).all()
    assert np.all(np.diff(bins.edges) > 0)
    for t, edge in enumerate(bins.edges):
        seen = ~np.isnan(values)
        assert ((values[seen] <= edge) == (got[seen] <= t)).all()
    for code, mean in enumerate(bins.means):
        own = clipped[got[finite] == code]
        assert own.min() <= mean <= own.max()


@settings(STEADY, max_examples=100)
@given(
    rows=st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=40),
    max_bins=st.integers(2, 10),
)
def test_weight_is_the_same_as_repetition(rows, max_bins):
    values = np.array([value for value, _ in rows], dtype=float)
    weights = np.array([weight for _, weight in rows])
    one = find_bins(values, weights, max_bins)
    other = find_bins(np.repeat(values, weights), max_bins=max_bins)
    assert one.edges == other.edges
    assert one.means == other.means
    assert one.values == other.values


def test_rows_without_weight_are_not_seen():
    bins = stages.dataset_bins(dataset([1, 2, 3, 1000, NAN], weight=[1, 1, 1, 0, 0]), 0)
    assert (bins.means, bins.high, bins.has_missing) == ([1, 2, 3], 3, False)


@pytest.mark.parametrize("max_bins", [-1, 0, 1, 256, 1000])
def test_max_bins_out_of_range(max_bins):
    with pytest.raises(ValueError, match=f"max_bins must be between 2 and 255, got {max_bins}"):
        Dataset(np.ones((3, 1)), np.ones(3), None, max_bins=max_bins, seed=0, n_threads=1)


def test_255_bins_and_missing_fit_into_a_byte():
    values = np.append(np.arange(1000.0), NAN)
    bins = find_bins(values)
    assert bins.n_bins == 255
    assert codes(bins, [0, 999, NAN]) == [0, 254, 255]
