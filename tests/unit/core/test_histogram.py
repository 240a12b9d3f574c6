from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost._core import stages
from tests.problems import STEADY

BLOCK = 16384
LANES = ("g", "h", "gz", "hz", "hzz", "w", "rows")


def build(codes, g, h, z, w, place=0):
    lanes = [np.asarray(lane, dtype=np.float32) for lane in (g, h, z, w)]
    flat = stages.build_histogram(np.asarray(codes, dtype=np.uint8), *lanes, place)
    return flat.reshape(256, 8)


def row_statistics(g, h, z, w):
    """What a row adds, in float32 as the promise says."""
    g, h, z, w = (np.asarray(lane, dtype=np.float32) for lane in (g, h, z, w))
    return np.stack([g, h, g * z, h * z, h * z * z, w, np.ones_like(g)], axis=1)


def sum_in_blocks(codes, rows):
    """float32 in row order within a block, float64 across blocks, rounded to float32 at the end."""
    sums = np.zeros((256, 8))
    for begin in range(0, len(codes), BLOCK):
        block_codes, block = codes[begin : begin + BLOCK], rows[begin : begin + BLOCK]
        for code in np.unique(block_codes):
            # cumsum adds one after the other; sum would add in pairs.
            total = np.cumsum(block[block_codes == code], axis=0, dtype=np.float32)[-1]
            sums[code, : len(LANES)] += total.astype(np.float64)
    return sums.astype(np.float32).astype(np.float64)


def test_sums_by_hand():
    got = build([0, 2, 0, 255], g=[1, 2, 4, 8], h=[1, 1, 3, 1], z=[2, 3, -1, 0.5], w=[1, 1, 3, 2])
    assert got[0].tolist() == [5, 4, -2, -1, 7, 4, 2, 0]
    assert got[2].tolist() == [2, 1, 6, 3, 9, 1, 1, 0]
    assert got[255].tolist() == [8, 1, 4, 0.5, 0.25, 2, 1, 0]
    assert not got[[1, *range(3, 255)]].any()


@pytest.mark.parametrize("place", range(4))
def test_every_place_of_the_group(place):
    rng = np.random.default_rng(place)
    codes = rng.integers(0, 256, size=3000)
    lanes = rng.normal(size=(4, 3000))
    got = build(codes, *lanes, place=place)
    assert got.tolist() == sum_in_blocks(codes, row_statistics(*lanes)).tolist()


@pytest.mark.parametrize("n", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5])
def test_float32_within_a_block_float64_across(n):
    rng = np.random.default_rng(n)
    # Few codes, so that a bin takes thousands of rows and the rounding shows.
    codes = rng.integers(0, 3, size=n)
    lanes = rng.random(size=(4, n))
    got = build(codes, *lanes)
    rows = row_statistics(*lanes)
    assert got.tolist() == sum_in_blocks(codes, rows).tolist()
    if n >= 2 * BLOCK:
        # Otherwise this would be a test of float32 alone.
        in_float32 = np.cumsum(rows[codes == 0], axis=0, dtype=np.float32)[-1]
        assert (got[0, : len(LANES)] != in_float32).any()


def test_small_numbers_survive_beside_the_sum_of_earlier_blocks():
    # In float32 alone 2^26 + 1 is 2^26, as often as it is done; 2^26 + 8 is a float32.
    g = np.zeros(8 * BLOCK + 1)
    g[0], g[BLOCK::BLOCK] = 2.0**26, 1.0
    zeros = np.zeros_like(g)
    assert build(np.zeros(len(g)), g, zeros, zeros, zeros)[0, 0] == 2.0**26 + 8


def test_the_end_of_a_sum_is_rounded_to_float32():
    g = np.zeros(BLOCK + 1)
    g[0], g[-1] = 2.0**26, 5.0
    zeros = np.zeros_like(g)
    # The neighbours in float32 are 2^26 and 2^26 + 8.
    assert build(np.zeros(len(g)), g, zeros, zeros, zeros)[0, 0] == 2.0**26 + 8


def test_no_rows():
    assert not build([], [], [], [], []).any()


@settings(STEADY, max_examples=60)
@given(
    codes=st.lists(st.integers(0, 255), max_size=1200),
    place=st.integers(0, 3),
    seed=st.integers(0, 2**16),
)
def test_integer_sums_are_exact(codes, place, seed):
    lanes = np.random.default_rng(seed).integers(-4, 5, size=(4, len(codes))).astype(float)
    got = build(codes, *lanes, place=place)
    for lane, values in enumerate(row_statistics(*lanes).T):
        expected = np.bincount(np.array(codes, dtype=int), weights=values, minlength=256)
        assert got[:, lane].tolist() == expected.tolist()


@pytest.mark.parametrize("place", [4, 5, 2**40])
def test_there_are_four_places(place):
    with pytest.raises(ValueError, match="place must be below 4"):
        build([0], [1], [1], [1], [1], place=place)


def test_lanes_must_have_one_length():
    with pytest.raises(ValueError, match="must have 2 elements, got 1"):
        build([0, 0], [1, 1], [1, 1], [1], [1, 1])
