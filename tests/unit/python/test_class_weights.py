"""Weights of classes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from plboost import PLBoostClassifier
from plboost.sklearn.class_weights import class_weighted


def data(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] + rng.normal(size=300) > 1, "yes", "no")
    return X, y


def fitted(sample_weight=None, **params):
    X, y = data()
    model = PLBoostClassifier(n_estimators=5, max_leaves=4, random_state=0, **params)
    return model.fit(X, y, sample_weight=sample_weight).decision_function(X)


@pytest.mark.parametrize("class_weight", ["balanced", {"yes": 3.0}, {"yes": 3.0, "no": 0.5}])
def test_weights_are_those_of_scikit_learn(class_weight):
    _, y = data()
    by_row = compute_sample_weight(class_weight, y)
    np.testing.assert_array_equal(fitted(class_weight=class_weight), fitted(by_row))


def test_scale_pos_weight_weighs_the_second_class():
    _, y = data()
    by_row = np.where(y == "yes", 4.0, 1.0)
    np.testing.assert_array_equal(fitted(scale_pos_weight=4), fitted(by_row))
    np.testing.assert_array_equal(fitted(by_row / 2, scale_pos_weight=2), fitted(
        np.where(y == "yes", 4.0, 0.5)))  # fmt: skip


def test_balance_counts_weight_two_as_a_row_twice():
    codes = np.array([0, 0, 1, 1])
    classes = np.array([0, 1])
    weighted = class_weighted(np.array([1.0, 3.0, 1.0, 0.0]), codes, classes, "balanced", None)
    assert weighted is not None
    np.testing.assert_allclose(weighted, [2.5 / 4, 7.5 / 4, 2.5, 0.0])


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"class_weight": "balanced", "scale_pos_weight": 2}, ValueError, ["class_w", "scale_"]),
        ({"class_weight": "even"}, ValueError, ["class_weight", "'even'", "balanced"]),
        ({"class_weight": {"yes": -1}}, ValueError, ["class_weight", "-1", "'yes'"]),
        ({"class_weight": {"maybe": 2}}, ValueError, ["class_weight", "'maybe'", "'no'"]),
        ({"scale_pos_weight": 0}, ValueError, ["scale_pos_weight", "0"]),
        ({"scale_pos_weight": "big"}, TypeError, ["scale_pos_weight", "'big'"]),
        ({"class_weight": {"yes": 0}}, ValueError, ["class_weight", "'yes'", "weight 0"]),
    ],
)
def test_bad_input(params, error, words):
    with pytest.raises(error) as caught:
        fitted(**params)
    for word in words:
        assert word in str(caught.value)
