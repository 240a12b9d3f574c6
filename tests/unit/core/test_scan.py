"""The best cut of one feature: the vector kernel, the plain way, and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost._core import stages
from tests.problems import STEADY
from tests.unit.core.grown import options
from tests.unit.core.plain_scan import ROWS, ScanProblem

RIDGES = st.sampled_from([0.0, 0.1, 10.0])


@st.composite
def histograms(draw, max_bins=40):
    """Sums per bin of random rows, with empty bins and sometimes missing rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_bins = draw(st.integers(1, max_bins))
    n_rows = draw(st.integers(1, 120))
    used = rng.permutation(n_bins)[: draw(st.integers(1, n_bins))]
    code = rng.choice(used, size=n_rows)
    if draw(st.booleans()):
        code[rng.random(n_rows) < 0.2] = n_bins
    # A constant other than 0 is 0 in no sum of float32 numbers: whether it is dropped is chance.
    scale, shift = draw(st.sampled_from([(0.0, 0.0), (1.0, 0.0), (1.0, 5.0), (30.0, 5.0)]))
    z = scale * rng.normal(size=n_rows) + shift
    h = np.ones(n_rows) if draw(st.booleans()) else rng.random(n_rows) + 0.01
    g = rng.normal(size=n_rows) + np.sin(code) + 0.2 * z
    w = np.ones(n_rows) if draw(st.booleans()) else rng.integers(1, 9, size=n_rows) / 4
    rows = np.stack([g, h, g * z, h * z, h * z * z, w, np.ones(n_rows), 0 * g], axis=1)
    sums = np.zeros((n_bins + 1, 8))
    np.add.at(sums, code, rows)
    return sums.astype(np.float32)


@st.composite
def scan_problems(draw, max_bins=40):
    bins = draw(histograms(max_bins))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = np.append(np.sort(rng.normal(size=len(bins) - 1)), 0.0).astype(np.float32)
    return ScanProblem(
        bins,
        values,
        with_z=draw(st.booleans()),
        z_fixed=draw(st.booleans()),
        with_x=draw(st.booleans()),
        l2=draw(RIDGES),
        ridge_z=draw(RIDGES),
        ridge_x=draw(RIDGES),
        min_weight=draw(st.sampled_from([0.0, 1.0, 5.0])),
        min_hessian=draw(st.sampled_from([0.0, 1e-3, 2.0])),
        min_gain=draw(st.sampled_from([0.0, 1.0])),
    )


def scan(table, problem):
    flags = problem.with_z, problem.z_fixed, problem.with_x
    return table.scan(problem.bins.reshape(-1), problem.values, *flags, problem.numbers)


@settings(STEADY, max_examples=500)
@given(problem=scan_problems(max_bins=255))
def test_every_instruction_set_finds_the_same_bits(problem):
    found = [scan(table, problem) for table in stages.all_kernels()]
    # repr tells floats apart to the last bit, and -0.0 from 0.0.
    assert len({repr(result) for result in found}) == 1


@settings(STEADY, max_examples=400)
@given(problem=scan_problems())
def test_the_best_cut_is_that_of_trying_every_cut(problem):
    found = scan(stages.all_kernels()[0], problem)
    gains = problem.gains()
    best = max(gains.values(), default=-np.inf)
    sums = problem.centred()
    # Float64 arithmetic, times the conditioning that the rule for dropping columns leaves.
    precision = 1e-10
    slack = 100 * precision * (1 + np.abs(sums).sum())
    floor = problem.floor()
    if not found["valid"]:
        assert best <= floor + slack
        return
    assert found["gain"] > floor
    assert abs(found["gain"] - best) <= slack
    has_missing = problem.bins[-1, ROWS] > 0
    cut = found["threshold"], found["missing_left"] and has_missing
    assert abs(gains[cut] - best) <= slack
    left = np.arange(len(sums)) <= cut[0]
    left[-1] = cut[1]
    shown = 10 if problem.with_x else 6
    for name, rows in (("left", sums[left]), ("total", sums)):
        expected = rows.sum(axis=0)[:shown]
        assert_allclose(found[name][:shown], expected, rtol=0, atol=precision * np.abs(sums).sum())
    if not has_missing:
        # Dyadic weights: their sums are exact.
        w = sums[:, 5]
        assert found["missing_left"] == (2 * w[left].sum() >= w.sum())


@settings(STEADY, max_examples=200)
@given(problem=scan_problems())
def test_equal_cuts_are_decided_by_the_lowest_threshold(problem):
    found = scan(stages.all_kernels()[0], problem)
    if not found["valid"] or found["threshold"] == 0:
        return
    # A cut behind empty bins is the cut before them.
    assert problem.bins[found["threshold"], ROWS] > 0


def test_no_bin_holds_a_row():
    for table in stages.all_kernels():
        for flags in [(z, fixed, x) for z in (0, 1) for fixed in (0, 1) for x in (0, 1)]:
            bins, values = np.zeros(9 * 8, np.float32), np.arange(9, dtype=np.float32)
            assert table.scan(bins, values, *map(bool, flags), [0.0] * 8) == {"valid": False}


@settings(STEADY, max_examples=400)
@given(
    histogram=histograms(),
    fitting=st.sampled_from(["half_additive", "additive"]),
    repeated=st.sampled_from(["redundant", "refit"]),
    slopes=st.lists(st.floats(-2, 2), max_size=3),
    own_slope=st.none() | st.floats(-2, 2),
    max_regressors=st.integers(0, 5),
    l2=RIDGES,
    l2_slopes=RIDGES,
    min_samples_leaf=st.sampled_from([0.0, 2.0]),
)
def test_the_kernel_and_the_plain_way_find_the_same_split(
    histogram, slopes, own_slope, **parameters
):
    n_bins = len(histogram) - 1
    bins = stages.find_bins(np.arange(n_bins) ** 1.5, np.ones(n_bins), 255)
    flat = histogram.reshape(-1)
    chosen = options(**parameters)
    kernel, plain = (
        stages.scan_feature(bins, flat, slopes, own_slope, chosen, way)
        for way in ("kernel", "plain")
    )
    size = 1e-8 * (1 + np.abs(flat, dtype=np.float64).sum())
    if kernel is None or plain is None:
        other = kernel or plain
        assert other is None or other[0] <= size
        return
    assert abs(kernel[0] - plain[0]) <= size
    assert kernel[3] == plain[3]
    if kernel[1:3] == plain[1:3]:
        # Slopes are worse off than gains where a column is nearly a multiple of another.
        assert_allclose(kernel[4], plain[4], rtol=1e-4, atol=1e-5)
        assert_allclose(kernel[5], plain[5], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("way", ["kernel", "plain"])
def test_the_linear_part_is_judged_around_its_mean_in_the_node(way):
    # z is 1999 or 2001: around 0 its moment is 4e-7 of its size, around its mean all of it. Small
    # integers: every sum is exact.
    z = np.array([1999.0, 2001.0, 1999.0, 2001.0])
    g = -np.array([1.0, 3.0, 5.0, 11.0])
    histogram = np.zeros((3, 8))
    one = np.ones(4)
    rows = np.stack([g, one, g * z, z, z * z, one, one, 0 * z], axis=1)
    np.add.at(histogram, [0, 0, 1, 1], rows)
    bins = stages.find_bins(np.array([0.0, 1.0]), np.ones(2), 255)
    flat = histogram.astype(np.float32).reshape(-1)
    found = stages.scan_feature(bins, flat, [1.0], None, options(max_regressors=1), way)
    gain, threshold, _, redundant, _, _ = found
    # Node: G^2/2H + c^2/2C = 50 + 8; children 4 + 1 and 64 + 9, each with a slope of its own.
    assert (threshold, redundant) == (0, True)
    assert gain == pytest.approx(4 + 1 + 64 + 9 - 50 - 8)
