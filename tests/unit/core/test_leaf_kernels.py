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


@settings(STEADY, max_examples=150)
@given(leaf=leaf_terms(), offset=OFFSETS, constant_h=st.booleans())
def test_add_moments(leaf, offset, constant_h):
    rng, k = leaf.rng, len(leaf.columns)
    g, h = (
        guarded_copy(rng.normal(size=leaf.stride).astype(np.float32), offset).array
        for _ in range(2)
    )
    before = rng.normal(size=stages.moment_count(k))
    terms = np.zeros((len(leaf.rows), len(before)))
    for i, row in enumerate(leaf.first + leaf.rows.astype(int)):
        x = [1.0, *leaf.deviations(row)]
        weight = 1.0 if constant_h else float(h[row])
        squares = [(weight * x[j]) * x[m] for j in range(k + 1) for m in range(j + 1)]
        terms[i] = [*squares, *(float(g[row]) * value for value in x)]
    bound = leaf.bound()

    def run(table):
        scratch = Guarded(stages.moment_scratch(k), np.float64, offset)
        moments = guarded_copy(before, offset)
        table.add_moments(
            bound, leaf.first, leaf.rows, g, None if constant_h else h, scratch.array, moments.array
        )
        scratch.check()
        return [moments]

    expected = before + sum_eight_lanes(terms)
    same_bits(run, [expected])


LEAST_REST = 0.01


@settings(STEADY, max_examples=150)
@given(leaf=leaf_terms(), offset=OFFSETS, constant_h=st.booleans(), weighted=st.booleans())
def test_add_left_out(leaf, offset, constant_h, weighted):
    rng, k = leaf.rng, len(leaf.columns)
    g = guarded_copy(rng.normal(size=leaf.stride).astype(np.float32), offset).array
    some = (rng.random((2, leaf.stride)) * (rng.random((2, leaf.stride)) < 0.8)).astype(np.float32)
    h, w = (guarded_copy(values, offset).array for values in some)
    mean, times = rng.normal(), 1.5
    means, inverse = rng.normal(size=k), rng.random(k) * (rng.random(k) < 0.8)
    factors = rng.normal(size=(k, k))
    before = rng.normal(size=2)
    terms = np.zeros((len(leaf.rows), 2))
    for i, row in enumerate(leaf.first + leaf.rows.astype(int)):
        hessian = 1.0 if constant_h else float(h[row])
        output = leverage = 0.0
        rest = []
        for j, deviation in enumerate(leaf.deviations(row)):
            left = deviation - means[j]
            output += leaf.columns[j][3] * left
            for m in range(j):
                left -= factors[j, m] * rest[m]
            rest.append(left)
            leverage += inverse[j] * (left * left)
        if weighted:
            leverage = leverage / float(w[row]) if w[row] > 0 else 0.0
        pull = -(float(g[row]) + mean * hessian)
        believed = max(1.0 - leverage * hessian, LEAST_REST)
        left_out = output - times * (leverage * (pull - hessian * output) / believed)
        terms[i] = [pull * left_out, hessian * (left_out * left_out)]
    bound = leaf.bound()
    below = [factors[j, m] for j in range(k) for m in range(j)]
    fit = [mean, *means, *inverse, *below, times]

    def run(table):
        scratch = Guarded(stages.moment_scratch(k), np.float64, offset)
        sums = guarded_copy(before, offset)
        table.add_left_out(
            bound,
            fit,
            leaf.first,
            leaf.rows,
            g,
            None if constant_h else h,
            w if weighted else None,
            scratch.array,
            sums.array,
        )
        scratch.check()
        return [sums]

    same_bits(run, [before + sum_eight_lanes(terms)])


@settings(STEADY, max_examples=150)
@given(leaf=leaf_terms(), offset=OFFSETS)
def test_leaf_outputs(leaf, offset):
    expected = np.full(len(leaf.rows), leaf.intercept)
    for i, row in enumerate(leaf.first + leaf.rows.astype(int)):
        for column, x in zip(leaf.columns, leaf.deviations(row), strict=True):
            expected[i] += column[3] * x
    bound = leaf.bound()

    def run(table):
        outputs = Guarded(len(leaf.rows), np.float64, offset)
        table.leaf_outputs(bound, leaf.first, leaf.rows, outputs.array)
        return [outputs]

    same_bits(run, [expected])
