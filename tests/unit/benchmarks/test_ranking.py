from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.leaderboard import ranking

NAN = float("nan")
# Three contestants, two sets, two seeds.
ERRORS = np.array(
    [
        [[1.0, 2.0], [4.0, 4.0]],
        [[2.0, 2.0], [2.0, 6.0]],
        [[3.0, 1.0], [NAN, NAN]],
    ]
)
BASELINES = np.array([[5.0, 5.0], [10.0, 20.0]])


def test_ranks_are_averaged_over_seeds_and_ties_share_theirs() -> None:
    # First set: ranks 1, 2, 3 with one seed; 2.5, 2.5, 1 with the other.
    np.testing.assert_allclose(ranking.ranks_by_set(ERRORS)[:, 0], [1.75, 2.25, 2.0])


def test_failed_runs_rank_last() -> None:
    np.testing.assert_allclose(ranking.ranks_by_set(ERRORS)[:, 1], [1.5, 1.5, 3.0])


def test_several_failed_runs_share_the_last_ranks() -> None:
    errors = np.array([[[1e30]], [[NAN]], [[NAN]]])
    np.testing.assert_allclose(ranking.ranks_by_set(errors)[:, 0], [1.0, 2.5, 2.5])


def test_failed_runs_count_with_the_limit_of_failure() -> None:
    means = ranking.mean_errors(ERRORS, BASELINES)
    np.testing.assert_allclose(means, [[1.5, 4.0], [2.0, 4.0], [2.0, 30.0]])


def test_relative_errors_divide_by_the_best_of_all_or_of_some() -> None:
    means = np.array([[1.0, 3.0], [2.0, 2.0], [4.0, 4.0]])
    np.testing.assert_allclose(ranking.relative_errors(means)[0], [1.0, 1.5])
    np.testing.assert_allclose(ranking.relative_errors(means, among=[1, 2])[0], [0.5, 1.5])


def test_estimate_has_the_standard_error_and_the_t_interval() -> None:
    # Deviations -1, 0, 1: variance 1, standard error 1 / sqrt(3); t with 2 degrees at 97.5 % is
    # 4.3027.
    found = ranking.estimate(np.array([1.0, 2.0, 3.0]))
    assert found.mean == 2.0
    assert found.error == pytest.approx(1 / math.sqrt(3))
    assert found.half_width == pytest.approx(4.30265 / math.sqrt(3), rel=1e-5)


def test_one_set_says_nothing_of_the_spread() -> None:
    found = ranking.estimate(np.array([2.0]))
    assert found.mean == 2.0
    assert math.isnan(found.error)


def test_lead_is_the_paired_difference_to_the_second() -> None:
    # The second is one rank behind on every set: no spread, though both ranks vary.
    ranks = np.array([[3.0, 2.5, 3.0], [1.0, 1.5, 2.0], [2.0, 2.5, 3.0]])
    first, second, ahead = ranking.lead(ranks)
    assert (first, second) == (1, 2)
    assert (ahead.mean, ahead.error) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("prediction", "metric", "words"),
    [
        ([1.0, NAN, math.inf], 0.1, "2 of 3"),
        ([1.0], NAN, "nan"),
        ([1.0], 2.01, "exploded"),
        ([1.0], 1.99, None),
    ],
)
def test_failure_is_no_number_or_an_explosion(
    prediction: list[float], metric: float, words: str | None
) -> None:
    found = ranking.failure_of(np.array(prediction), metric, baseline=1.0)
    assert found is None if words is None else words in str(found)
