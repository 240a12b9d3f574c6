"""The best cut of one feature with every slope solved anew: the vector kernel and NumPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost._core import stages
from tests.problems import STEADY
from tests.unit.core.plain_wide_scan import WideScanProblem

RIDGES = st.sampled_from([0.0, 0.1, 10.0])


@st.composite
def wide_problems(draw, max_bins=24, max_regressors=7):
    """Rows on a coarse grid: the sums are exact in float32, and only the search is judged."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_bins = draw(st.integers(1, max_bins))
    n = draw(st.integers(1, 150))
    k = draw(st.integers(0, max_regressors))
    used = rng.permutation(n_bins)[: draw(st.integers(1, n_bins))]
    code = rng.choice(used, size=n)
    if draw(st.booleans()):
        code[rng.random(n) < 0.2] = n_bins
    h = np.ones(n) if draw(st.booleans()) else rng.integers(1, 9, size=n) / 8
    w = np.ones(n) if draw(st.booleans()) else rng.integers(1, 9, size=n) / 4
    x = rng.integers(-16, 17, size=(n, k)) / 8
    # A column that is 0 in the node is dropped; one that repeats another has no pivot left.
    kinds = [draw(st.sampled_from(["free", "free", "zero", "repeated"])) for _ in range(k)]
    for j, kind in enumerate(kinds):
        if kind != "free":
            x[:, j] = 0.0 if kind == "zero" or j == 0 else x[:, j - 1]
    g = np.round(8 * (rng.normal(size=n) + np.sin(code) + x.sum(axis=1) / 4)) / 8
    values = np.append(np.sort(rng.integers(-64, 65, size=n_bins)), 0) / 16
    return WideScanProblem(
        code=code,
        values=values.astype(np.float32),
        g=g,
        h=h,
        w=w,
        x=x,
        with_x=draw(st.booleans()),
        l2=draw(RIDGES),
        ridges=[draw(RIDGES) for _ in range(k + 1)],
        offsets=list(rng.normal(size=k + 1)) if draw(st.booleans()) else [],
        min_weight=draw(st.sampled_from([0.0, 1.0, 5.0])),
        min_hessian=draw(st.sampled_from([0.0, 1e-3, 2.0])),
        min_gain=draw(st.sampled_from([0.0, 1.0])),
    )


def scan(table, problem):
    flat = problem.panels().reshape(-1)
    columns = problem.ridges, problem.offsets
    return table.scan_wide(flat, problem.values, problem.with_x, *columns, problem.numbers)


@settings(STEADY, max_examples=300)
@given(problem=wide_problems(max_bins=255, max_regressors=20))
def test_every_instruction_set_finds_the_same_bits(problem):
    found = [scan(table, problem) for table in stages.all_kernels()]
    assert len({repr(result) for result in found}) == 1


@settings(STEADY, max_examples=400)
@given(problem=wide_problems())
def test_the_best_cut_is_that_of_trying_every_cut(problem):
    gains = problem.gains()
    best = max((gain for gain, _ in gains.values()), default=-np.inf)
    # Float64 arithmetic, times the conditioning that the rule for dropping columns leaves.
    slack = 1e-8 * (1 + np.abs(problem.g).sum())
    floor = problem.floor()
    has_missing = (problem.code == len(problem.values) - 1).any()
    for table in stages.all_kernels():
        found = scan(table, problem)
        if not found["valid"]:
            assert best <= floor + slack
            continue
        assert found["gain"] > floor
        assert abs(found["gain"] - best) <= slack
        cut = found["threshold"], found["missing_left"] and bool(has_missing)
        gain, keeps = gains[cut]
        assert abs(gain - best) <= slack
        # Among equal cuts the first: behind bins that hold rows.
        assert (problem.code == cut[0]).any()
        if problem.with_x:
            assert found["keeps_x"] == keeps
        if not has_missing:
            left = problem.code <= cut[0]
            assert found["missing_left"] == (2 * problem.w[left].sum() >= problem.w.sum())


def test_no_bin_holds_a_row():
    for table in stages.all_kernels():
        for with_x in (False, True):
            bins, values = np.zeros(9 * 8, np.float32), np.arange(9, dtype=np.float32)
            found = table.scan_wide(bins, values, with_x, [0.1], [], [0.0, 0.1] + [0.0] * 4)
            assert found == {"valid": False}
