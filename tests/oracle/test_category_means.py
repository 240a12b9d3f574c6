"""The means of categories equal the reference's, for training rows and for rows to predict."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost.ingest import Categories, learn_categories, learn_means
from plboost.ingest.category_means import MISSING, UNKNOWN, earlier_means
from tests.problems import STEADY
from tests.reference import category_means as reference

VALUES = st.sampled_from(["a", "b", "c", 4, 5.5, None]) | st.integers(10, 30)
ROWS = st.lists(
    st.tuples(VALUES, st.floats(-1e6, 1e6), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    min_size=1,
    max_size=50,
).filter(lambda rows: any(weight > 0 for _, _, weight in rows))


def check_rounding(columns, earlier, expected):
    """Assert that each training row has the nearest of the means that rows to predict may have."""
    for found, value in zip(columns, earlier, strict=True):
        assert found in expected
        # Rounding may decide between two that are as near.
        nearest = np.min(np.abs(expected - value))
        assert abs(found - value) <= nearest + 1e-12 * np.max(np.abs(expected))


@settings(STEADY, max_examples=300)
@given(rows=ROWS, seed=st.integers(0, 5), max_bins=st.integers(2, 9), max_others=st.integers(1, 9))
def test_means_of_targets(rows, seed, max_bins, max_others):
    values = [value for value, _, _ in rows]
    y, weights = (np.array([row[i] for row in rows]) for i in (1, 2))
    X = np.array(values, dtype=object)[:, None]
    learned = learn_categories(X, [0], weights, max_bins, max_others)
    known = {*learned.values[0], *learned.others[0]}
    places = learned.places(X)
    options = {"kind": "target", "seed": seed}
    size = np.max(np.abs(y))
    plain = earlier_means(places, y, weights, **options)[0][:, 0]
    is_known = (places[0] >= 0) & (weights > 0)
    expected = reference.earlier_means(values, y, weights, seed)
    assert_allclose(plain[is_known], expected[is_known], rtol=1e-12, atol=1e-12 * size)
    means, columns = learn_means(places, learned.sizes, y, weights, **options)
    grid = np.append(means.table[0], means.prior)
    check_rounding(columns[is_known, 0], plain[is_known], grid)
    assert (columns[(places[0] == UNKNOWN) & (weights > 0), 0] == means.prior).all()
    assert np.isnan(columns[places[0] == MISSING]).all()
    new = [*values, "new", None]
    predicted = [reference.predicted_mean(value, values, y, weights, known) for value in new]
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
    X = np.array([row[:2] for row in rows], dtype=object)
    learned = learn_categories(X, [0, 1], None, 255, 1)
    places, options = learned.places(X), {"kind": "classes", "seed": seed}
    plain = earlier_means(places, y.astype(float), None, **options)
    means, columns = learn_means(places, learned.sizes, y.astype(float), None, **options)
    classes = range(y.max() + 1) if y.max() > 1 else [1]
    assert_allclose(means.prior, [np.mean(y == k) for k in classes], rtol=1e-12, atol=1e-12)
    for (j, found), own in zip(plain.items(), np.split(columns, 2, axis=1), strict=True):
        is_known = places[j] >= 0
        for i, k in enumerate(classes):
            shares = (y == k).astype(float)
            expected = reference.earlier_means(list(X[:, j]), shares, np.ones(len(y)), seed)
            assert_allclose(found[is_known, i], expected[is_known], rtol=1e-12, atol=1e-12)
            grid = np.append(means.table[j][:, i], means.prior[i])
            check_rounding(own[is_known, i], found[is_known, i], grid)
