"""The bounds hold what noisy sums give, and no more than a reasonable room around it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.grow import Options
from tests.reference.linear import SEARCH, Column, Rows, fit, hessian_means
from tests.reference.noise import noisy_moments
from tests.reference.problem import Problem, make_problem
from tests.reference.rounding import Study, alternatives, loss_bounds, study
from tests.reference.tables import random_table

AMPLITUDE = 3e-7  # of each of the three sums that a centred moment is made of
NOISE = 3e-6


def near_threshold(seed: int, closeness: float) -> tuple[Problem, list[Column]]:
    """Return two columns whose second one differs from the first by about `closeness`."""
    table = random_table(2 * (seed // 2), n_rows=50)
    options = Options(l2=0.1, l2_slopes=0.0)
    problem = make_problem(table.bins, table.codes, table.g, table.h, table.w, options)
    rng = np.random.default_rng(seed)
    first = rng.normal(size=50) + 0.5
    second = first + closeness * rng.normal(size=50)
    return problem, [Column(first, 1.0, 0.0), Column(second, 1.0, 0.0)]


def study_of(problem: Problem, columns: list[Column], rows: Rows, error: float = 0.0) -> Study:
    node = np.arange(50)
    centres = hessian_means(columns, problem.h, node)
    return study(
        columns, problem.g, problem.h, rows, centres, problem.penalty, SEARCH, NOISE, error
    )


@pytest.mark.parametrize("closeness", [1.0, 1e-2, 2e-3, 1e-3, 5e-4, 0.0])
def test_noisy_losses_and_decisions_are_foreseen(closeness: float) -> None:
    both_seen = False
    for seed in range(20):
        problem, columns = near_threshold(seed, closeness)
        rows = np.arange(20, dtype=np.int64)
        s = study_of(problem, columns, rows)
        low, high = loss_bounds(s)
        foreseen = {outcome.fit.kept for outcome in alternatives(s)}
        both_seen = both_seen or len(foreseen) == 2
        plain = fit(s.sums, columns, problem.penalty, SEARCH)
        assert low <= plain.loss <= high
        rng = np.random.default_rng(seed)
        for _ in range(20):
            sums = noisy_moments(problem, columns, rows, np.arange(50), AMPLITUDE, rng)
            noisy = fit(sums, columns, problem.penalty, SEARCH)
            assert low <= noisy.loss <= high
            assert noisy.kept in foreseen
        if closeness == 1.0:
            # Far from the threshold the bounds are tight and nothing is ambiguous.
            assert high - low < 1e-3 * abs(plain.loss)
            assert foreseen == {(True, True)}
    # Pivots are about closeness^2 of the moment: within noise of 1e-6 only near 1e-3.
    assert both_seen == (closeness <= 2e-3)


def test_error_of_the_linear_part_widens_the_bounds() -> None:
    outside = 0
    for seed in range(20):
        problem, columns = near_threshold(seed, 1.0)
        rows = np.arange(50, dtype=np.int64)
        moved = 1e-2 * np.random.default_rng(100 + seed).normal(size=50)
        error = float(problem.h @ moved**2)
        other = [Column(columns[0].values + moved, 1.0, 0.0), columns[1]]
        loss = fit(study_of(problem, other, rows).sums, other, problem.penalty, SEARCH).loss
        low, high = loss_bounds(study_of(problem, columns, rows))
        outside += not low <= loss <= high
        low, high = loss_bounds(study_of(problem, columns, rows, error))
        assert low <= loss <= high
    assert outside > 10
