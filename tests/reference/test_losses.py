"""Gradients against differences of the loss, units by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.losses import log_loss, squared_error
from tests.reference.weighted import Array


def test_squared_error_by_hand() -> None:
    y, w = np.array([0.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0])
    assert squared_error.initial_score(y, w) == 2.5
    # Variance (6.25 + 0.25 + 2 * 2.25) / 4 = 2.75, std 1.66, nearest power of two by log 2.
    assert squared_error.unit(y, w) == 2.0
    assert squared_error.gain_unit(y, w) == pytest.approx(2.75 / 4)
    g, h = squared_error.gradients(np.full(3, 2.5), y, w, 2.0)
    assert g.tolist() == [1.25, 0.25, -1.5]
    assert h.tolist() == [1.0, 1.0, 2.0]
    assert g.dtype == h.dtype == np.float32


@pytest.mark.parametrize(
    ("y", "unit"), [([3.0, 3.0], 1.0), ([4, 8, 12, 16, 20], 8.0), ([0, 1e-3], 2**-11)]
)
def test_unit(y: list[float], unit: float) -> None:
    # The second has a variance of 32: log2(std) = 2.5 is rounded away from zero.
    assert squared_error.unit(np.array(y, dtype=float), np.ones(len(y))) == unit


def test_unit_follows_the_scale_of_y() -> None:
    y = np.random.default_rng(0).normal(size=20)
    w = np.ones(20)
    for exponent in (-900, -3, 5, 900):
        assert squared_error.unit(np.ldexp(y, exponent), w) == np.ldexp(
            squared_error.unit(y, w), exponent
        )


def test_log_loss_gradients_are_derivatives() -> None:
    scores, y = np.array([-3.0, 0.5, 1.5]), np.array([0.0, 1.0, 0.0])
    w = np.array([1.0, 2.0, 0.5])

    def value(s: Array) -> Array:
        losses: Array = w * (np.log1p(np.exp(s)) - y * s)
        return losses

    step = 1e-4
    g, h = log_loss.gradients(scores, y, w, 1.0)
    np.testing.assert_allclose(g, (value(scores + step) - value(scores - step)) / (2 * step), 1e-5)
    second = (value(scores + step) - 2 * value(scores) + value(scores - step)) / step**2
    np.testing.assert_allclose(h, second, 1e-4)


def test_no_row_asks_for_a_longer_step_of_log_loss_than_8() -> None:
    scores = np.array([-1.9, -2.0, -30.0, 2.0, 30.0])
    y = np.array([1.0, 1.0, 1.0, 0.0, 0.0])
    g, h = log_loss.gradients(scores, y, np.full(5, 2.0), 1.0)
    steps = [1 + np.exp(1.9), 8, 8, -8, -8]
    np.testing.assert_allclose(-g / h, steps, 1e-6)


def test_log_loss_start_and_extremes() -> None:
    y, w = np.array([0.0, 1.0]), np.array([1.0, 3.0])
    assert log_loss.link(np.array([log_loss.initial_score(y, w)])) == pytest.approx(0.75)
    assert log_loss.unit(y, w) == 1.0
    g, h = log_loss.gradients(np.array([-1e4, 1e4]), y, w, 1.0)
    assert g.tolist() == [0.0, 0.0]
    assert h.tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="both 0 and 1"):
        log_loss.initial_score(np.zeros(2), w)
