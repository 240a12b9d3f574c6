"""The means of categories equal the reference's, for training rows and for rows to predict."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost.ingest import Categories, learn_categories, learn_means
from tests.problems import STEADY
from tests.reference.category_means import predicted_mean, training_means

VALUES = st.sampled_from(["a", "b", "c", 4, 5.5, None]) | st.integers(10, 30)
ROWS = st.lists(
    st.tuples(VALUES, st.floats(-1e6, 1e6), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    min_size=1,
    max_size=50,
).filter(lambda rows: any(weight > 0 for _, _, weight in rows))


@settings(STEADY, max_examples=300)
@given(rows=ROWS, seed=st.integers(0, 5), max_bins=st.integers(2, 9), max_others=st.integers(1, 9))
def test_means_of_targets(rows, seed, max_bins, max_others):
    values = [value for value, _, _ in rows]
    y, weights = (np.array([row[i] for row in rows]) for i in (1, 2))
    X = np.array(values, dtype=object)[:, None]
    learned = learn_categories(X, [0], weights, max_bins, max_others)
    known = {*learned.values[0], *learned.others[0]}
    places = learned.places(X)
    means, columns = learn_means(places, learned.sizes, y, weights, kind="target", seed=seed)
    size = np.max(np.abs(y))
    expected = training_means(values, y, weights, known, seed)
    assert_allclose(columns[:, 0], expected, rtol=1e-12, atol=1e-12 * size)
    new = [*values, "new", None]
    predicted = [predicted_mean(value, values, y, weights, known) for value in new]
    categories = Categories(learned.values, learned.others, means)
    matrix = categories.matrix(np.array(new, dtype=object)[:, None])
    assert_allclose(matrix[:, 1], predicted, rtol=1e-12, atol=1e-12 * size)


@settings(STEADY, max_examples=100)
@given(
    rows=st.lists(st.tuples(VALUES, VALUES, st.integers(0, 3)), min_size=2, max_size=40),
    seed=st.integers(0, 5),
)
def test_shares_of_classes_of_two_features(rows, seed):
    _, y = np.unique([label for *_, label in rows], return_inverse=True)
    weights = np.ones(len(y))
    X = np.array([row[:2] for row in rows], dtype=object)
    learned = learn_categories(X, [0, 1], None, 255, 1)
    means, columns = learn_means(
        learned.places(X), learned.sizes, y.astype(float), None, kind="classes", seed=seed
    )
    classes = range(y.max() + 1) if y.max() > 1 else [1]
    expected = [
        training_means(list(X[:, j]), (y == k).astype(float), weights, {*learned.values[j]}, seed)
        for j in (0, 1)
        for k in classes
    ]
    assert_allclose(columns, np.column_stack(expected), rtol=1e-12, atol=1e-12)
    assert_allclose(means.prior, [np.mean(y == k) for k in classes], rtol=1e-12, atol=1e-12)
