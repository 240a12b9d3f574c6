from __future__ import annotations

import math

import numpy as np
import pytest

from .category_means import earlier_means, predicted_mean, random_order

VALUES = ["a", "b", "a", None, "a"]
Y = np.array([1.0, 4.0, 2.0, 9.0, 6.0])
ONES = np.ones(5)


def test_means_worked_by_hand() -> None:
    order = random_order(ONES, 3).tolist()
    found = earlier_means(VALUES, Y, ONES, 3)
    assert order == [3, 4, 1, 0, 2]
    assert math.isnan(found[3])
    # No earlier row of its category: the mean of the earlier rows, 9, 6 and 4 in turn.
    assert found[4] == 9.0
    assert found[1] == pytest.approx(7.5)
    assert found[0] == pytest.approx((6 + 19 / 3) / 2)
    assert found[2] == pytest.approx((6 + 1 + 20 / 4) / 3)


def test_prediction_worked_by_hand() -> None:
    known = {"a", "b"}
    assert predicted_mean("a", VALUES, Y, ONES, known) == pytest.approx((9 + 4.4) / 4)
    assert predicted_mean("b", VALUES, Y, ONES, known) == pytest.approx((4 + 4.4) / 2)
    assert predicted_mean("c", VALUES, Y, ONES, known) == pytest.approx(4.4)
    assert math.isnan(predicted_mean(None, VALUES, Y, ONES, known))


def test_the_first_row_has_the_mean_of_the_others() -> None:
    found = earlier_means(["a", "a"], np.array([1.0, 5.0]), np.ones(2), 0)
    first, second = random_order(np.ones(2), 0)
    y = np.array([1.0, 5.0])
    assert found[first] == y[second]
    assert found[second] == y[first]
