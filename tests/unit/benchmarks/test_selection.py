from __future__ import annotations

import math
import time

import numpy as np
import pytest

from benchmarks.leaderboard.curves import Metric, Part, StopRule, Training, fit_curves
from benchmarks.leaderboard.selection import best_iteration, is_better, validation_rows
from benchmarks.leaderboard.spaces import FIRST, SPACES, draw

NAN = float("nan")


def test_a_fifth_is_held_out_and_depends_on_the_seed_alone() -> None:
    held_out = validation_rows(1000, seed=3)
    assert held_out.sum() == 200
    np.testing.assert_array_equal(held_out, validation_rows(1000, seed=3))
    assert not np.array_equal(held_out, validation_rows(1000, seed=4))


def test_best_iteration_counts_trees_and_takes_the_first_of_equals() -> None:
    assert best_iteration([3.0, 1.0, 2.0, 1.0]) == (2, 1.0)
    assert best_iteration([0.5, 0.9, 0.9], "larger") == (2, 0.9)


def test_what_is_not_finite_is_never_the_best() -> None:
    assert best_iteration([NAN, 5.0, -math.inf]) == (2, 5.0)
    assert best_iteration([NAN, 5.0, math.inf], "larger") == (2, 5.0)
    assert math.isnan(best_iteration([NAN, NAN])[1])


def test_nan_loses_against_everything() -> None:
    assert is_better(1.0, NAN)
    assert not is_better(NAN, 1.0)
    assert is_better(2.0, 1.0, "larger")
    assert not is_better(1.0, 1.0)


def test_stop_rule_waits_for_its_patience_since_the_best_value() -> None:
    stop = StopRule(patience=2)
    assert [stop(value) for value in (3.0, 2.0, 2.5, 1.0, 1.0, 1.5)] == [False] * 5 + [True]


def test_stop_rule_ends_at_the_deadline() -> None:
    assert StopRule(deadline=time.monotonic() - 1)(1.0)
    assert not StopRule(deadline=time.monotonic() + 1000)(1.0)


def test_a_search_begins_with_the_defaults_and_then_stays_in_its_space() -> None:
    rng = np.random.default_rng(0)
    for name, space in SPACES.items():
        assert draw(name, 0, rng) == FIRST.get(name, {})
        for trial in range(1, 50):
            setting = draw(name, trial, rng)
            for parameter, values in space.items():
                if hasattr(values, "values"):
                    assert setting[parameter] in values.values
                else:
                    assert values.low <= setting[parameter] <= values.high


@pytest.mark.parametrize("metric", ["rmse", "log_loss", "auc"])
@pytest.mark.parametrize("trial", [0, 1])
def test_plboost_trains_what_is_drawn_and_ends_by_the_rule(metric: Metric, trial: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = X[:, 0] * X[:, 1] + rng.normal(size=600)
    y = y if metric == "rmse" else (y > 0).astype(np.float64)
    data, valid = Part(X[:400], y[:400]), Part(X[400:], y[400:])
    setting = draw("plboost", trial, rng)
    job = Training(setting, data, {"valid": valid}, metric, trees=300, threads=1)
    assert len(fit_curves("plboost", job)["valid"]) == 300
    if metric == "auc":  # its curve is made at the end
        return
    stopped = Training(
        setting, data, {"valid": valid}, metric, trees=300, threads=1, stop=StopRule(patience=5)
    )
    curve = fit_curves("plboost", stopped)["valid"]
    assert len(curve) == best_iteration(curve)[0] + 5 < 300
