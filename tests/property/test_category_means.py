"""What the means of categories must not depend on, above all a row's own target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost import Booster, Dataset, train
from plboost.ingest import learn_categories, learn_means
from plboost.ingest.category_means import earlier_means
from tests.problems import STEADY

KINDS = ("target", "classes")


def columns(seed, n, kind):
    """Two categorical columns as codes (-1: missing), numbers, targets and weights."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(-1, 6, size=n), rng.integers(-1, 40, size=n)
    x = rng.normal(size=n)
    y = rng.normal(size=7)[first] + rng.normal(size=41)[second] * (1 + x)
    y = np.digitize(y, [-0.5, 0.5]).astype(float) if kind == "classes" else y
    return first, second, x, y, rng.integers(0, 4, size=n) / 2


def table(first, second, x, names):
    def column(codes):
        return pd.Categorical([None if code < 0 else names[code] for code in codes])

    return pd.DataFrame({"a": column(first), "x": x, "b": column(second)})


def means_of(frame, y, weight, *, kind="target", seed=0):
    """Return the means of earlier rows, and what the training rows have."""
    learned = learn_categories(frame, [0, 2], weight, 255, 10)
    places, options = learned.places(frame), {"kind": kind, "seed": seed}
    columns = learn_means(places, learned.sizes, y, weight, **options)[1]
    return np.hstack(list(earlier_means(places, y, weight, **options).values())), columns


def fit(frame, y, weight=None, *, kind="target", n_jobs=1, **params):
    loss = "log_loss" if kind == "classes" else "squared_error"
    data = Dataset(frame, y, sample_weight=weight, category_means=kind, max_bins=20, n_jobs=n_jobs)
    params = {"loss": loss, "n_estimators": 3, "max_leaves": 8, "min_samples_leaf": 4} | params
    return train(params, data, n_jobs=n_jobs)


@settings(STEADY, max_examples=60)
@given(seed=st.integers(0, 10**6), row=st.integers(0, 59), size=st.floats(-1e6, 1e6))
def test_a_row_does_not_see_its_own_target(seed, row, size):
    first, second, x, y, weight = columns(seed, 60, "target")
    frame = table(first, second, x, range(40))
    before, _ = means_of(frame, y, weight, seed=seed)
    other = y.copy()
    other[row] = size
    after, _ = means_of(frame, other, weight, seed=seed)
    # Not a bit of it: what is close would be found by a model of many trees.
    np.testing.assert_array_equal(after[row], before[row])


@settings(STEADY, max_examples=60)
@given(seed=st.integers(0, 10**6), row=st.integers(0, 59), label=st.integers(0, 2))
def test_a_row_does_not_see_its_own_class(seed, row, label):
    first, second, x, y, weight = columns(seed, 60, "classes")
    y[:3] = [0, 1, 2]
    frame = table(first, second, x, range(40))
    before, _ = means_of(frame, y, weight, kind="classes", seed=seed)
    other = y.copy()
    other[row] = label
    other[:3] = y[:3]
    after, _ = means_of(frame, other, weight, kind="classes", seed=seed)
    np.testing.assert_array_equal(after[row], before[row])


@settings(STEADY, max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_rows_of_weight_zero_are_absent(seed):
    first, second, x, y, weight = columns(seed, 80, "target")
    frame, counted = table(first, second, x, range(40)), weight > 0
    whole = means_of(frame, y, weight, seed=seed)
    part = means_of(frame[counted], y[counted], weight[counted], seed=seed)
    for one, other in zip(whole, part, strict=True):
        np.testing.assert_array_equal(one[counted], other)
    one, other = fit(frame, y, weight), fit(frame[counted], y[counted], weight[counted])
    assert one.to_bytes() == other.to_bytes()


@settings(STEADY, max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_to_predict_weight_two_is_a_row_twice(seed):
    first, second, x, y, _ = columns(seed, 80, "target")
    weight = np.random.default_rng(seed).integers(1, 3, size=80)
    frame, twice = table(first, second, x, range(40)), np.repeat(np.arange(80), weight)
    one = Dataset(frame, y, sample_weight=weight, category_means="target")
    other = Dataset(frame.iloc[twice], y[twice], category_means="target")
    np.testing.assert_allclose(
        one._categories.matrix(frame)[:, 3:],
        other._categories.matrix(frame)[:, 3:],
        rtol=1e-12,
        atol=1e-12,
    )


@settings(STEADY, max_examples=20)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS))
def test_names_and_orders_of_categories_do_not_matter(seed, kind):
    first, second, x, y, weight = columns(seed, 150, kind)
    rng = np.random.default_rng(seed)
    letters = [f"c{i}" for i in range(40)]
    frame = table(first, second, x, letters)
    booster = fit(frame, y, weight, kind=kind)
    expected = booster.predict(frame)
    renamed = table(first, second, x, rng.permutation(40).tolist())
    np.testing.assert_array_equal(fit(renamed, y, weight, kind=kind).predict(renamed), expected)
    ordered = frame.assign(
        a=frame["a"].cat.set_categories(rng.permutation([*letters, "never"])),
        b=frame["b"].cat.reorder_categories(rng.permutation(frame["b"].cat.categories)),
    )
    assert fit(ordered, y, weight, kind=kind).to_bytes() == booster.to_bytes()
    np.testing.assert_array_equal(booster.predict(ordered), expected)
    copy = Booster.from_bytes(booster.to_bytes())
    np.testing.assert_array_equal(copy.predict(frame.astype(object)), expected)


@settings(STEADY, max_examples=8)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS))
def test_same_bytes_for_any_number_of_threads(seed, kind):
    first, second, x, y, weight = columns(seed, 200, kind)
    frame = table(first, second, x, range(40))
    models = {fit(frame, y, weight, kind=kind, n_jobs=n).to_bytes() for n in (1, 2, 5)}
    assert len(models) == 1


@settings(STEADY, max_examples=20)
@given(seed=st.integers(0, 10**6), power=st.integers(-40, 40))
def test_the_scale_of_the_target_is_the_scale_of_predictions(seed, power):
    first, second, x, y, weight = columns(seed, 120, "target")
    frame, scale = table(first, second, x, range(40)), 2.0**power
    one, other = fit(frame, y, weight).predict(frame), fit(frame, scale * y, weight).predict(frame)
    np.testing.assert_array_equal(scale * one, other)


@pytest.mark.parametrize(("n", "n_categories"), [(60, 10), (200, 100), (500, 5), (1000, 800)])
def test_rounding_brings_no_target_back(n, n_categories):
    """The plain means of categories go with the targets of pure noise; these must not."""
    rng = np.random.default_rng(0)
    found = []
    for seed in range(100):
        codes, y = rng.integers(n_categories, size=n), rng.normal(size=n)
        frame = table(codes, np.full(n, -1), y, range(n_categories))
        columns = means_of(frame, y, None, seed=seed)[1]
        found.append(np.corrcoef(columns[:, 0], y)[0, 1])
    error = 1 / np.sqrt(n * len(found))
    assert -5 * error < np.mean(found) < 3 * error


def test_pure_noise_stays_noise():
    """With the plain mean of every category, training errors fall and new rows get worse."""
    rng = np.random.default_rng(0)
    n = 4000
    city = rng.integers(n // 2, size=n)
    frame = pd.DataFrame({"a": pd.Categorical(city), "x": rng.normal(size=n)})
    y = rng.normal(size=n)
    errors = {}
    for kind in (None, "target"):
        data = Dataset(frame[: n // 2], y[: n // 2], category_means=kind)
        booster = train({"n_estimators": 30, "max_leaves": 8}, data)
        errors[kind] = np.std(y[n // 2 :] - booster.predict(frame[n // 2 :]))
    assert errors["target"] == pytest.approx(errors[None], rel=0.03)
