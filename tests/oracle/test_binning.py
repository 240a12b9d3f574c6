"""Bins, means and codes of the core equal the reference's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost import _core
from plboost._core import stages
from tests.problems import STEADY, small_problems
from tests.reference.binning import encode, find_bins

LARGEST = float(np.finfo(float).max)
ODD = st.sampled_from(
    [np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, -1e-310, 1e308, -LARGEST, LARGEST, 2.0**1020]
)
# Dyadic weights: their sums are exact, so that no bin ends elsewhere by rounding.
WEIGHTS = st.integers(1, 24).map(lambda eighths: eighths / 8)
MAX_BINS = st.integers(2, 12) | st.sampled_from([16, 40, 254, 255])


def compare(values, weights, max_bins):
    """Assert equal bins, and equal codes of the values, the edges and what lies beside them."""
    fast = stages.find_bins(values, weights, max_bins)
    plain = find_bins(values, weights, max_bins)
    assert fast.edges == plain.edges.tolist()
    assert (fast.n_bins, fast.has_missing) == (plain.n_bins, plain.has_missing)
    assert (fast.usable, fast.can_regress) == (plain.usable, plain.can_regress)
    assert (fast.low, fast.high) == (plain.low, plain.high)
    size = float(np.max(np.abs(plain.means), initial=0.0))
    # Weighted means in float64; where values of either sign cancel, relative to their size.
    assert_allclose(fast.means, plain.means, rtol=1e-13, atol=1e-13 * size)
    assert_allclose(fast.mean, plain.mu, rtol=1e-12, atol=1e-12 * size)
    # Means that differ by rounding alone have a deviation of rounding.
    assert_allclose(fast.scale, plain.sigma, rtol=1e-9, atol=1e-12 * size)
    if plain.sigma > 1e-6 * size:
        assert_allclose(fast.values, plain.u, rtol=2e-7, atol=1e-8)
    assert fast.values[-1] == 0.0
    around = [np.nextafter(plain.edges, side) for side in (-np.inf, np.inf)]
    seen = np.concatenate([values, plain.edges, *around, [np.nan, np.inf, -np.inf, 0.0]])
    assert fast.encode(seen).tolist() == encode(seen, plain).tolist()


@settings(STEADY, max_examples=600)
@given(
    rows=st.lists(
        st.tuples(ODD | st.floats() | st.integers(-6, 6).map(float), WEIGHTS), max_size=60
    ),
    max_bins=MAX_BINS,
)
def test_hostile_values(rows, max_bins):
    compare(
        np.array([value for value, _ in rows], dtype=float),
        np.array([weight for _, weight in rows], dtype=float),
        max_bins,
    )


@settings(STEADY, max_examples=300)
@given(problem=small_problems(max_rows=150), max_bins=MAX_BINS)
def test_columns_of_problems(problem, max_bins):
    rows = problem.weights > 0
    for column in problem.X[rows].T:
        compare(np.ascontiguousarray(column), problem.weights[rows], max_bins)


@settings(STEADY, max_examples=300)
@given(
    counts=st.lists(st.integers(1, 40), min_size=1, max_size=60),
    max_bins=MAX_BINS,
    seed=st.integers(0, 2**32 - 1),
)
def test_frequent_and_rare_values(counts, max_bins, seed):
    # Which values have a bin of their own, and where the others are cut, depends on counts alone.
    values = np.random.default_rng(seed).permutation(
        np.repeat(np.arange(len(counts)) - 7.0, counts)
    )
    compare(values, np.ones(len(values)), max_bins)


@pytest.mark.parametrize("kind", ["float32", "float64", "coarse", "sparse"])
@pytest.mark.parametrize("seed", range(3))
def test_many_rows(kind, seed):
    # From 2048 values on they are sorted by their bits, in 32 or 64 of them.
    rng = np.random.default_rng(seed)
    values = rng.normal(size=3000) * 10.0 ** rng.integers(-30, 30, size=3000)
    if kind == "float32":
        values = values.astype(np.float32).astype(float)
    elif kind == "coarse":
        values = np.round(rng.normal(size=3000), 2)
    elif kind == "sparse":
        values[rng.random(3000) < 0.9] = 0.0
    values[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45]
    compare(values, rng.integers(1, 5, size=3000) / 4, 255)


@settings(STEADY, max_examples=100)
@given(problem=small_problems(max_rows=80), max_bins=MAX_BINS)
def test_bins_of_a_data_set(problem, max_bins):
    data = _core.Dataset(
        problem.X, problem.y, problem.weight, max_bins=max_bins, seed=3, n_threads=2
    )
    for j, column in enumerate(problem.X.T):
        plain = find_bins(column, problem.weights, max_bins)
        assert stages.dataset_bins(data, j).edges == plain.edges.tolist()
