"""Every kernel of every instruction set against plain NumPy, bit for bit.

NumPy computes what the declaration says, in the order it says, so the baseline equals NumPy and
every other table equals the baseline.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plboost._core import stages
from tests.problems import STEADY
from tests.unit.core.codes import code_of, words
from tests.unit.core.guarded import CANARY, Guarded, guarded_copy, same_bits

NAMES = [table.name for table in stages.all_kernels()]
MANY = settings(STEADY, max_examples=250)
LENGTHS = st.integers(0, 200)
OFFSETS = st.integers(0, 17)
SHIFTS = st.sampled_from([0, 8, 16, 24])
SEEDS = st.integers(0, 2**32 - 1)
# Odd ones too: denormal numbers, signed zeros, and what overflows when it is squared.
FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32)


def floats(data, rng, n):
    """Draw n floats: smooth ones, and a few that hypothesis chooses."""
    values = (rng.normal(size=n) * 10.0 ** rng.integers(-6, 7)).astype(np.float32)
    odd = data.draw(st.lists(FLOATS, max_size=4))
    values[: len(odd)] = odd[:n]
    rng.shuffle(values)
    return values


def bits_of(goes_left):
    """Return 64 rows in a word."""
    padded = np.zeros(-(-len(goes_left) // 64) * 64, dtype=bool)
    padded[: len(goes_left)] = goes_left
    return np.packbits(padded, bitorder="little").view(np.uint64)


def test_the_baseline_is_always_there():
    assert NAMES[0] == "baseline"
    assert NAMES == [name for name in ("baseline", "avx2", "avx512") if name in NAMES]


@MANY
@given(data=st.data(), n=LENGTHS, offset=OFFSETS, seed=SEEDS)
def test_fill_statistics(data, n, offset, seed):
    rng = np.random.default_rng(seed)
    begin = data.draw(st.integers(0, 20))
    lanes = [guarded_copy(floats(data, rng, begin + n), offset).array for _ in range(4)]
    given_lanes = [lanes[0]] + [lane if data.draw(st.booleans()) else None for lane in lanes[1:]]
    g, h, z, w = (
        np.full(n, absent, dtype=np.float32) if lane is None else lane[begin:]
        for lane, absent in zip(given_lanes, (0, 1, 0, 1), strict=True)
    )
    with np.errstate(all="ignore"):
        columns = [g, h, g * z, h * z, h * z * z, w, np.ones_like(g), np.zeros_like(g)]
    expected = np.stack(columns, axis=1).astype(np.float32).reshape(-1)

    def run(table):
        out = Guarded(n * 8, np.float32, offset)
        table.fill_statistics(*given_lanes, begin, n, out.array)
        return [out]

    same_bits(run, [expected])


@MANY
@given(data=st.data(), n=LENGTHS, offset=OFFSETS, seed=SEEDS)
def test_fill_products(data, n, offset, seed):
    rng = np.random.default_rng(seed)
    begin = data.draw(st.integers(0, 20))
    columns = [
        guarded_copy(floats(data, rng, begin + n), offset).array
        if data.draw(st.booleans())
        else None
        for _ in range(16)
    ]
    ones = np.ones(begin + n, dtype=np.float32)
    left, right = (
        np.stack([ones if column is None else column for column in half], axis=1)[begin:]
        for half in (columns[:8], columns[8:])
    )
    with np.errstate(all="ignore"):
        expected = (left * right).reshape(-1)

    def run(table):
        out = Guarded(n * 8, np.float32, offset)
        table.fill_products(columns[:8], columns[8:], begin, n, out.array)
        return [out]

    same_bits(run, [expected])


@MANY
@given(
    n=LENGTHS,
    offset=OFFSETS,
    seed=SEEDS,
    n_codes=st.sampled_from([1, 3, 256]),
    n_slots=st.integers(1, 4),
)
def test_update_histogram(n, offset, seed, n_codes, n_slots):
    rng = np.random.default_rng(seed)
    # Few codes: neighbouring rows then often fall into one bin.
    word = words(rng, n) if n_codes == 256 else words(rng, n) % n_codes * np.uint32(0x01010101)
    codes = guarded_copy(word, offset).array
    statistics = guarded_copy(rng.normal(size=n * 8).astype(np.float32), offset).array
    before = rng.normal(size=4 * 256 * 8).astype(np.float32)
    expected = before.copy().reshape(4, 256, 8)
    for slot in range(n_slots):
        np.add.at(expected[slot], code_of(codes, 8 * slot), statistics.reshape(n, 8))

    def run(table):
        histogram = guarded_copy(before, offset)
        table.update_histogram(codes, statistics, n_slots, histogram.array)
        return [histogram]

    same_bits(run, [expected.reshape(-1)])


def bytes_of(word):
    return np.asarray(word, dtype=np.uint32).reshape(-1, 1).view(np.uint8)


# Missing values of the four slots: two that occur often, and two that may not occur at all.
MISSING = st.sampled_from([(3, 1, 255, 200), (0, 0, 0, 0), (255, 2, 9, 255)])


def few_codes(rng, n):
    """Return words whose codes come from narrow ranges, so that none is the rule."""
    low = rng.integers(0, 256, size=4)
    return bytes_to_words((low + rng.integers(0, 5, size=(n, 4))) % 256)


def bytes_to_words(codes):
    return np.ascontiguousarray(codes, dtype=np.uint8).view(np.uint32).reshape(-1)


@MANY
@given(n=LENGTHS, offset=OFFSETS, missing=MISSING, narrow=st.booleans(), seed=SEEDS)
def test_code_range(n, offset, missing, narrow, seed):
    rng = np.random.default_rng(seed)
    codes = guarded_copy(few_codes(rng, n) if narrow else words(rng, n), offset).array
    found = bytes_of(codes).reshape(n, 4)
    kept = np.ma.array(found, mask=found == np.array(missing, dtype=np.uint8))
    low = kept.min(axis=0).filled(255) if n else np.full(4, 255)
    high = kept.max(axis=0).filled(0) if n else np.zeros(4)
    expected = tuple(int(bytes_to_words(side[None])[0]) for side in (low, high))
    for table in stages.all_kernels():
        assert table.code_range(codes, int(bytes_to_words([missing])[0])) == expected


@MANY
@given(
    n=LENGTHS,
    offset=OFFSETS,
    missing=MISSING,
    levels=st.tuples(*[st.integers(0, 3)] * 4),
    seed=SEEDS,
)
def test_join_codes(n, offset, missing, levels, seed):
    rng = np.random.default_rng(seed)
    codes = guarded_copy(words(rng, n), offset).array
    missing, levels = np.array(missing, dtype=np.uint8), np.array(levels, dtype=np.uint8)
    first, joined_missing = rng.integers(0, 256, size=(2, 4), dtype=np.uint8)
    before = bytes_of(codes).reshape(n, 4)
    joined = np.where(before == missing, joined_missing, (before >> levels) - first)
    join = missing, joined_missing, 255 * (levels % 2), 255 * (levels // 2), first

    def run(table):
        out = Guarded(n, np.uint32, offset)
        table.join_codes(codes, [int(bytes_to_words(part[None])[0]) for part in join], out.array)
        return [out]

    same_bits(run, [bytes_to_words(joined)])


@MANY
@given(n=LENGTHS, offset=OFFSETS, shift=SHIFTS, seed=SEEDS)
def test_mark_left(n, offset, shift, seed):
    rng = np.random.default_rng(seed)
    codes = guarded_copy(words(rng, n), offset).array
    left = rng.integers(0, 2, size=256).astype(np.uint8)
    sets = guarded_copy(np.packbits(left, bitorder="little").view(np.uint32), offset).array

    def run(table):
        goes_left = Guarded(-(-n // 64), np.uint64, offset)
        n_left = table.mark_left(codes, shift, sets, goes_left.array)
        assert n_left == is_left.sum()
        return [goes_left]

    is_left = left[code_of(codes, shift)] == 1
    # Bits behind the last row are 0.
    same_bits(run, [bits_of(is_left)])


@pytest.mark.parametrize("n", range(201))
def test_partition_of_every_length(n):
    rng = np.random.default_rng(n)
    for goes_left in (rng.random(n) < 0.5, np.ones(n, bool), np.zeros(n, bool)):
        check_partition(rng, goes_left, offset=n % 5, noise=False)


@MANY
@given(
    n=LENGTHS,
    offset=OFFSETS,
    share=st.floats(0, 1),
    noise=st.booleans(),
    n_lanes=st.integers(1, 5),
    gap=st.integers(0, 20),
    seed=SEEDS,
)
def test_partition(n, offset, share, noise, n_lanes, gap, seed):
    rng = np.random.default_rng(seed)
    check_partition(rng, rng.random(n) < share, offset, noise, n_lanes, gap)


def check_partition(rng, goes_left, offset, noise, n_lanes=1, gap=0):
    n = len(goes_left)
    stride = n + gap
    items = rng.integers(0, 2**32, size=(n_lanes, n), dtype=np.uint32)
    bits = bits_of(goes_left)
    if noise and n % 64:
        # What lies behind the last row must not matter.
        bits[-1] |= ~np.uint64(0) << np.uint64(n % 64)

    def in_lanes(rows):
        """Return the lanes at their distance, with canaries between them."""
        lanes = np.full((n_lanes, stride), CANARY * 0x01010101, dtype=np.uint32)
        lanes[:, : rows.shape[1]] = rows
        return lanes.ravel()[: (n_lanes - 1) * stride + rows.shape[1]]

    expected = [in_lanes(items[:, side]) for side in (goes_left, ~goes_left)]
    placed = guarded_copy(in_lanes(items), offset).array

    def run(table):
        sides = [Guarded(len(side), np.uint32, offset) for side in expected]
        table.partition(placed, bits, sides[0].array, sides[1].array, n_lanes, stride)
        return sides

    same_bits(run, expected)
    check_partition_of_codes(items[0].astype(np.uint8), goes_left, bits, offset)


def check_partition_of_codes(codes, goes_left, bits, offset):
    placed = guarded_copy(codes, offset).array
    for table in stages.all_kernels():
        # The outputs are as long as their sides, with canaries behind them.
        sides = [Guarded(int(side.sum()), np.uint8, offset) for side in (goes_left, ~goes_left)]
        was_done = table.partition_codes(placed, bits, sides[0].array, sides[1].array)
        assert was_done == (table.name != "baseline")
        for output, side in zip(sides, (goes_left, ~goes_left), strict=True):
            output.check()
            if was_done:
                assert output.array.tobytes() == codes[side].tobytes(), table.name


@MANY
@given(data=st.data(), n=LENGTHS, offset=OFFSETS, shift=SHIFTS, slope=FLOATS, seed=SEEDS)
def test_update_z(data, n, offset, shift, slope, seed):
    rng = np.random.default_rng(seed)
    codes = guarded_copy(words(rng, n), offset).array
    contribution = rng.normal(size=256).astype(np.float32)
    before = floats(data, rng, n)
    with np.errstate(all="ignore"):
        # One rounding after the product, one after the sum: no fused multiplication.
        expected = np.float32(slope) * before + contribution[code_of(codes, shift)]

    def run(table):
        z = guarded_copy(before, offset)
        table.update_z(codes, shift, contribution, slope, z.array)
        return [z]

    same_bits(run, [expected])


@MANY
@given(scores=arrays(np.float64, LENGTHS, elements=st.floats(allow_nan=False)), offset=OFFSETS)
def test_decay(scores, offset):
    """Two units of the last place from NumPy's; what would be subnormal stays a normal number."""
    given_scores = guarded_copy(scores, offset).array

    def run(table):
        out = Guarded(len(scores), np.float64, offset)
        table.decay(given_scores, out.array)
        return [out]

    baseline = run(stages.all_kernels()[0])[0].array
    expected = np.exp(-np.minimum(np.abs(scores), 708.0))
    np.testing.assert_allclose(baseline, expected, rtol=2 * np.finfo(np.float64).eps)
    same_bits(run, [baseline])


@pytest.mark.parametrize("reach", [1e-3, 1.0, 40.0, 750.0])
def test_decay_of_many_scores(reach):
    scores = np.linspace(-reach, reach, 20_001)
    for table in stages.all_kernels():
        out = np.empty_like(scores)
        table.decay(scores, out)
        expected = np.exp(-np.minimum(np.abs(scores), 708.0))
        np.testing.assert_allclose(out, expected, rtol=2 * np.finfo(np.float64).eps)


@st.composite
def routes(draw):
    """A random tree as [n_nodes][10] words."""
    rng = np.random.default_rng(draw(SEEDS))
    n_splits = draw(st.integers(0, 12) | st.integers(30, 60))
    n_groups = draw(st.integers(1, 3))
    stride = draw(st.integers(0, 30)) + draw(LENGTHS)
    nodes = np.zeros((2 * n_splits + 1, 10), dtype=np.uint32)
    nodes[:, 1] = np.arange(len(nodes))
    nodes[:, 2:] = ~np.uint32(0)  # a leaf leads to itself
    leaves = [0]
    for split in range(n_splits):
        node = leaves.pop(int(rng.integers(len(leaves))))
        child = 2 * split + 1
        place = 32 * rng.integers(n_groups) * stride + 8 * rng.integers(4)
        nodes[node] = [place, child, *rng.integers(0, 2**32, size=8, dtype=np.uint32)]
        leaves += [child, child + 1]
    return nodes, n_groups, stride, rng


@MANY
@given(tree=routes(), offset=OFFSETS, data=st.data())
def test_route(tree, offset, data):
    nodes, n_groups, stride, rng = tree
    n = data.draw(st.integers(0, stride))
    block = guarded_copy(words(rng, n_groups * stride), offset).array
    expected = np.zeros(n, dtype=np.uint32)
    for row in range(n):
        place, child, *left = (int(field) for field in nodes[0])
        while child != expected[row]:
            code = int(code_of(block[place // 32 + row], place % 32))
            is_left = (left[code // 32] >> (code % 32)) & 1
            expected[row] = child + 1 - is_left
            place, child, *left = (int(field) for field in nodes[expected[row]])

    def run(table):
        node_of_row = Guarded(n, np.uint32, offset)
        table.route(nodes.reshape(-1), block, node_of_row.array)
        return [node_of_row]

    same_bits(run, [expected])


@pytest.mark.parametrize("name", NAMES)
@settings(STEADY, max_examples=20)
@given(items=arrays(np.uint32, st.integers(0, 300)), seed=SEEDS)
def test_a_canary_that_dies_is_seen(name, items, seed):
    table = stages.all_kernels()[NAMES.index(name)]
    # One item too few on the left: partition must then write where a guard stands.
    goes_left = np.random.default_rng(seed).random(len(items)) < 0.7
    n_left = int(goes_left.sum())
    if n_left == 0:
        return
    left, right = Guarded(n_left - 1, np.uint32), Guarded(len(items) - n_left + 1, np.uint32)
    table.partition(items, bits_of(goes_left), left.array, right.array)
    last = items[goes_left][-1]
    if last != 0xA5A5A5A5:
        with pytest.raises(AssertionError, match="written outside"):
            left.check()
