"""The kernels of leaf models, as in test_kernels.py: bit for bit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost._core import stages
from tests.problems import STEADY
from tests.unit.core.codes import code_of, words
from tests.unit.core.guarded import Guarded, guarded_copy, same_bits

LENGTHS = st.integers(0, 200)
OFFSETS = st.integers(0, 17)
SEEDS = st.integers(0, 2**32 - 1)


@dataclass(frozen=True, eq=False)
class Leaf:
    """A leaf of several columns and rows anywhere in the data."""

    rng: np.random.Generator
    columns: list[list[float]]  # group, shift, reference, slope
    intercept: float
    values: np.ndarray
    block: np.ndarray
    stride: int
    first: int
    rows: np.ndarray

    def bound(self):
        return stages.LeafTerms(self.columns, self.intercept, self.values, self.block, self.stride)

    def deviations(self, row):
        return [
            float(self.values[code_of(self.block[int(group) * self.stride + row], int(shift))])
            - reference
            for group, shift, reference, _ in self.columns
        ]


@st.composite
def leaf_terms(draw):
    rng = np.random.default_rng(draw(SEEDS))
    first = draw(st.integers(0, 100))
    n = draw(LENGTHS)
    stride = first + n + draw(st.integers(0, 300))
    n_groups = draw(st.integers(1, 3))
    n_columns = draw(st.integers(0, 9) | st.sampled_from([15, 16, 20]))
    columns = [
        [float(rng.integers(n_groups)), 8.0 * rng.integers(4), rng.normal(), rng.normal()]
        for _ in range(n_columns)
    ]
    rows = np.sort(rng.permutation(stride - first)[:n]).astype(np.uint16)
    values = rng.normal(size=256).astype(np.float32)
    block = words(rng, n_groups * stride)
    return Leaf(rng, columns, rng.normal(), values, block, stride, first, rows)


def sum_eight_lanes(terms):
    """Row i goes to lane i % 8; the lanes are added as a tree. The order is part of the promise."""
    lanes = np.zeros((8, terms.shape[1]))
    for begin in range(0, len(terms), 8):
        eight = np.zeros_like(lanes)
        eight[: len(terms[begin : begin + 8])] = terms[begin : begin + 8]
        lanes = lanes + eight
    a = lanes[:4] + lanes[4:]
    return (a[0] + a[2]) + (a[1] + a[3])


G, H, W, X = range(4)  # lanes of a table


def table_of(leaf, rng, *, weighted=False):
    """Return a table of the leaf's rows and the distance between its lanes, junk where no row is.

    Eight numbers behind the last row are 0.
    """
    n, k = len(leaf.rows), len(leaf.columns)
    stride = n + 8 + int(rng.integers(0, 20))
    lanes = rng.normal(size=(X + k, stride))
    lanes[:, n : n + 8] = 0.0
    lanes[H, :n] = rng.random(n) * (rng.random(n) < 0.8)
    lanes[W, :n] = rng.random(n) * (rng.random(n) < 0.8) if weighted else np.nan
    for i, row in enumerate(leaf.first + leaf.rows.astype(int)):
        lanes[X:, i] = leaf.deviations(row)
    return lanes, stride


@settings(STEADY, max_examples=150)
@given(
    leaf=leaf_terms(),
    offset=OFFSETS,
    at=st.integers(0, 20),
    missing=st.sampled_from(["nothing", "h", "w", "h and w", "all"]),
    together=st.booleans(),
)
def test_fetch_rows(leaf, offset, at, missing, together):
    rng, n, k = leaf.rng, len(leaf.rows), len(leaf.columns)
    g, h, w = (
        guarded_copy(rng.normal(size=leaf.stride).astype(np.float32), offset).array
        for _ in range(3)
    )
    given_g = None if missing == "all" else g
    given_h = None if missing in ("h", "h and w", "all") else h
    given_w = None if missing in ("w", "h and w", "all") else w
    stride = at + n + 8 + int(rng.integers(0, 20))
    before = rng.normal(size=(X + k, stride))
    rows = leaf.first + (np.arange(n) if together else leaf.rows.astype(int))
    expected = before.copy()
    if given_g is not None:
        expected[G, at : at + n] = g[rows]
        expected[H, at : at + n] = 1.0 if given_h is None else h[rows]
    if given_w is not None:
        expected[W, at : at + n] = w[rows]
    for i, row in enumerate(rows):
        expected[X:, at + i] = leaf.deviations(row)
    expected[:, at + n : at + n + 8] = 0.0
    bound = leaf.bound()

    def run(table):
        lanes = guarded_copy(before.ravel(), offset)
        statistics = given_g, given_h, given_w
        if together:
            table.fetch_rows_together(bound, leaf.first, n, *statistics, at, lanes.array, stride)
        else:
            table.fetch_rows(bound, leaf.first, leaf.rows, *statistics, at, lanes.array, stride)
        return [lanes]

    same_bits(run, [expected.ravel()])


@settings(STEADY, max_examples=150)
@given(leaf=leaf_terms(), offset=OFFSETS)
def test_add_moments(leaf, offset):
    rng, k = leaf.rng, len(leaf.columns)
    lanes, stride = table_of(leaf, rng)
    before = rng.normal(size=stages.moment_count(k))
    terms = np.zeros((len(leaf.rows), len(before)))
    for i in range(len(leaf.rows)):
        x = [1.0, *lanes[X:, i]]
        squares = [(lanes[H, i] * x[j]) * x[m] for j in range(k + 1) for m in range(j + 1)]
        terms[i] = [*squares, *(lanes[G, i] * value for value in x)]

    def run(table):
        moments = guarded_copy(before, offset)
        table.add_moments(
            guarded_copy(lanes.ravel(), offset).array, stride, len(leaf.rows), k, moments.array
        )
        return [moments]

    same_bits(run, [before + sum_eight_lanes(terms)])


LEAST_REST = 0.01


@settings(STEADY, max_examples=150)
@given(leaf=leaf_terms(), offset=OFFSETS, weighted=st.booleans())
def test_add_left_out(leaf, offset, weighted):
    rng, k = leaf.rng, len(leaf.columns)
    lanes, stride = table_of(leaf, rng, weighted=weighted)
    mean = rng.normal()
    means, inverse = rng.normal(size=k), rng.random(k) * (rng.random(k) < 0.8)
    factors = rng.normal(size=(k, k))
    before = rng.normal(size=2)
    terms = np.zeros((len(leaf.rows), 2))
    for i in range(len(leaf.rows)):
        gradient, hessian, weight = lanes[:X, i]
        output = leverage = 0.0
        rest = []
        for j, deviation in enumerate(lanes[X:, i]):
            left = deviation - means[j]
            output += leaf.columns[j][3] * left
            for m in range(j):
                left -= factors[j, m] * rest[m]
            rest.append(left)
            leverage += inverse[j] * (left * left)
        if weighted:
            leverage = leverage / weight if weight > 0 else 0.0
        pull = -(gradient + mean * hessian)
        believed = max(1.0 - leverage * hessian, LEAST_REST)
        left_out = output - leverage * (pull - hessian * output) / believed
        terms[i] = [pull * left_out, hessian * (left_out * left_out)]
    bound = leaf.bound()
    below = [factors[j, m] for j in range(k) for m in range(j)]
    fit = [mean, *means, *inverse, *below]

    def run(table):
        scratch = Guarded(8 * k, np.float64, offset)
        sums = guarded_copy(before, offset)
        table.add_left_out(
            bound,
            fit,
            guarded_copy(lanes.ravel(), offset).array,
            stride,
            len(leaf.rows),
            weighted,
            scratch.array,
            sums.array,
        )
        scratch.check()
        return [sums]

    # Without columns there is nothing to judge.
    same_bits(run, [before + sum_eight_lanes(terms) if k > 0 else before])


@settings(STEADY, max_examples=150)
@given(leaf=leaf_terms(), offset=OFFSETS)
def test_leaf_outputs(leaf, offset):
    lanes, stride = table_of(leaf, leaf.rng)
    expected = np.full(len(leaf.rows), leaf.intercept)
    for column, x in zip(leaf.columns, lanes[X:], strict=True):
        expected += column[3] * x[: len(leaf.rows)]
    bound = leaf.bound()

    def run(table):
        outputs = Guarded(len(leaf.rows), np.float64, offset)
        table.leaf_outputs(bound, guarded_copy(lanes.ravel(), offset).array, stride, outputs.array)
        return [outputs]

    same_bits(run, [expected])
