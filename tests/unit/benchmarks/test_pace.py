from __future__ import annotations

import pytest

from benchmarks.leaderboard.pace import duration_text, expected_seconds

TIMINGS = {("a", "fast"): [1.0, 3.0], ("a", "slow"): [8.0], ("b", "fast"): [4.0]}


def test_the_same_pair_is_the_best_guide() -> None:
    assert expected_seconds(TIMINGS, "a", "fast") == 2.0


def test_an_unknown_pair_is_guessed_from_its_set_and_its_contestant() -> None:
    # Overall mean 4; set b 4 = 1 x; contestant slow 8 = 2 x.
    assert expected_seconds(TIMINGS, "b", "slow") == pytest.approx(8.0)


def test_what_was_never_seen_has_the_overall_mean() -> None:
    assert expected_seconds(TIMINGS, "c", "other") == pytest.approx(4.0)


def test_durations_are_written_in_a_fitting_unit() -> None:
    assert [duration_text(s) for s in (40, 700, 9000)] == ["40 s", "12 min", "2 h 30 min"]
