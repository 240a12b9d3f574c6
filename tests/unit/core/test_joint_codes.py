"""Features of few values share a code; nothing is lost by it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost._core import stages
from tests.problems import STEADY
from tests.unit.core.grown import dataset


def join(columns):
    """Let the columns join one after the other; return the codes and which of them fitted."""
    joint = stages.JointCodes(len(columns[0]))
    return joint, [joint.add(np.asarray(column, dtype=np.uint8)) for column in columns]


def check_codes(joint, columns):
    """Assert that codes are numbered without gaps and tell every column's bin."""
    codes = joint.codes()
    assert joint.n_codes == len({tuple(row) for row in np.transpose(columns)})
    assert np.unique(codes).tolist() == list(range(joint.n_codes))
    for k, column in enumerate(columns):
        assert joint.bin_of_code(k)[codes].tolist() == list(column)


def test_before_anything_joined():
    joint = stages.JointCodes(5)
    assert joint.n_codes == 1
    assert joint.codes().tolist() == [0] * 5


def test_one_hot_columns_take_a_code_each():
    category = np.random.default_rng(0).integers(0, 90, size=4000)
    columns = [(category == k).astype(int) for k in range(90)]
    joint, fitted = join(columns)
    assert all(fitted)
    assert joint.n_codes == 90
    check_codes(joint, columns)


def test_products_take_the_combinations_that_occur():
    columns = [[0, 0, 1, 1, 0], [0, 2, 0, 2, 0], [1, 1, 0, 0, 1]]
    joint, _ = join(columns)
    # Four of the 2 x 3 x 2: numbered by the first column, then the second.
    assert joint.codes().tolist() == [0, 1, 2, 3, 0]
    check_codes(joint, columns)


@pytest.mark.parametrize(("sizes", "fits"), [((16, 16), True), ((2, 2, 64), True), ((17, 16), 0)])
def test_256_combinations_fit_and_257_do_not(sizes, fits):
    grid = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1)
    columns = grid.reshape(-1, len(sizes)).T
    joint, fitted = join(columns)
    assert fitted == [True] * (len(sizes) - 1) + [bool(fits)]
    check_codes(joint, columns if fits else columns[:-1])
    if not fits:
        # One row less, one combination less, none less: 257 is where it ends.
        for n, enough in ((256, True), (257, False)):
            assert join([column[:n] for column in columns])[1][-1] == enough


def test_a_feature_that_does_not_fit_leaves_everything_as_it_was():
    rng = np.random.default_rng(1)
    first, too_many, small = rng.integers(0, (20, 200, 3), size=(3000, 3)).T
    joint, fitted = join([first, too_many, small])
    assert fitted == [True, False, True]
    check_codes(joint, [first, small])


def test_bins_up_to_255():
    codes = np.arange(256)
    joint, _ = join([codes, codes[::-1]])
    check_codes(joint, [codes, codes[::-1]])


@settings(STEADY, max_examples=150)
@given(
    sizes=st.lists(st.integers(1, 16), min_size=1, max_size=6),
    n=st.integers(1, 300),
    seed=st.integers(0, 2**32 - 1),
)
def test_codes_in_any_order_of_rows(sizes, n, seed):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, size=n) for size in sizes]
    joint, fitted = join(columns)
    kept = [column for column, fits in zip(columns, fitted, strict=True) if fits]
    check_codes(joint, kept)
    order = rng.permutation(n)
    shuffled, _ = join([column[order] for column in columns])
    assert shuffled.codes().tolist() == joint.codes()[order].tolist()


@settings(STEADY, max_examples=100)
@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    n=st.integers(1, 200),
    seed=st.integers(0, 2**32 - 1),
)
def test_marginals_are_exact(sizes, n, seed):
    # Small integers: every sum is exact, so the marginal equals the feature's own histogram.
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, size=n) for size in sizes]
    joint, _ = join(columns)
    g, h, z, w = rng.integers(-5, 6, size=(4, n)).astype(np.float32)
    shared = stages.build_histogram(joint.codes(), g, h, z, w).astype(np.float32)
    for k, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        bins = joint.bin_of_code(k)
        marginal = stages.marginalise(shared[: len(bins) * 8].copy(), bins, size)
        own = stages.build_histogram(column.astype(np.uint8), g, h, z, w)
        assert marginal.tolist() == own[: size * 8].tolist()


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="bins must have 3 elements, got 2"):
        stages.JointCodes(3).add(np.zeros(2, dtype=np.uint8))


def random_columns(rng, n):
    """One continuous column among a dozen that can share a code, some with missing values."""
    category = rng.integers(0, 5, size=n)
    one_hot = [(category == k).astype(float) for k in range(5)]
    few = [rng.integers(0, size, size=n).astype(float) for size in (2, 3, 4, 2)]
    few[1][rng.random(n) < 0.1] = np.nan
    return np.column_stack([*one_hot, rng.normal(size=n), *few])


def test_who_shares_a_slot():
    X = random_columns(np.random.default_rng(0), 20_000)
    slots = stages.dataset_slots(dataset(X))
    # The continuous column comes first and alone; 5 x 2 x 4 x 4 = 160 codes leave room for no more.
    assert slots == [[5], [0, 1, 2, 3, 4, 6, 7, 8], [9]]
    assert stages.dataset_slots(dataset(X[:, [0, 5]])) == [[0], [1]]
