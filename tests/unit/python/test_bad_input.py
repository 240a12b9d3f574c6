"""Wrong data: each kind has a message of its own that says what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from plboost import Dataset, PLBoostClassifier, PLBoostRegressor

X = np.arange(40.0).reshape(20, 2)
Y = np.arange(20) % 2
ESTIMATORS = [PLBoostRegressor, PLBoostClassifier]


def changed(array, index, value, dtype=float):
    copy = np.array(array, dtype=dtype)
    copy[index] = value
    return copy


@pytest.fixture(params=["regressor", "classifier", "dataset"])
def fit(request):
    """Hand data to one of the three entrances."""
    if request.param == "dataset":
        return Dataset
    estimator = PLBoostRegressor if request.param == "regressor" else PLBoostClassifier
    return lambda X, y, sample_weight=None: estimator().fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize(
    ("features", "error", "message"),
    [
        (np.zeros((0, 2)), ValueError, r"0 sample\(s\)"),
        (np.zeros((20, 0)), ValueError, r"0 feature\(s\)"),
        (np.zeros(20), ValueError, "Expected 2D array, got 1D array"),
        (np.zeros((20, 2, 2)), ValueError, "Found array with dim 3"),
        (3.0, ValueError, "Expected 2D array, got scalar array"),
        ([[1.0, 2.0], [3.0]] * 10, ValueError, "inhomogeneous"),
        (sparse.csr_array(X), TypeError, "dense data is required"),
        (X.astype(complex), ValueError, "Complex data not supported"),
        (X.astype(str), ValueError, r"X has columns that are not numeric: 0 \(text\), 1 \(text\)"),
        ([["1", "2"]] * 20, ValueError, r"X has columns that are not numeric: 0 \(text\)"),
        (changed(X, (3, 1), "a", object), ValueError, r"not numeric: 1 \(text\). Encode it"),
        (
            changed(X, (3, 1), {}, object),
            TypeError,
            r"not numeric: 1 \(objects: float\(\) argument",
        ),
        (X.astype("M8[s]"), ValueError, r"not numeric: 0 \(datetime64\[s\]\)"),
    ],
)
def test_features(fit, features, error, message):
    with pytest.raises(error, match=message):
        fit(features, Y)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.Series(["red", "blue"] * 10), r"not numeric: 'odd' \(text\)"),
        (pd.Series(["1", "2"] * 10, dtype=object), r"not numeric: 'odd' \(text\)"),
        (pd.Series([pd.Timestamp(0)] * 20), r"not numeric: 'odd' \(datetime64\[.*\]\)"),
        (pl.Series(["red", "blue"] * 10), r"not numeric: 'odd' \(text\)"),
        (pl.Series([[1.0]] * 20), r"not numeric: 'odd' \(List"),
    ],
)
def test_columns_of_frames_are_named(fit, column, message):
    frame_type = pd.DataFrame if isinstance(column, pd.Series) else pl.DataFrame
    with pytest.raises(ValueError, match=message + r".*naming it in categorical_features.*drop it"):
        fit(frame_type({"fine": np.arange(20.0), "odd": column}), Y)


def test_many_text_columns_are_not_all_listed(fit):
    frame = pd.DataFrame({f"c{i}": ["a"] * 20 for i in range(13)})
    with pytest.raises(ValueError, match=r"'c9' \(text\) and 3 more. Encode them"):
        fit(frame, Y)


def test_column_names_of_mixed_types(fit):
    with pytest.raises(TypeError, match=r"(?i)(column|feature) names"):
        fit(pd.DataFrame({"a": np.arange(20), 3: np.arange(20)}), Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        (Y[:19], "y has 19 values, but X has 20 rows"),
        (np.zeros((20, 2, 2)), "Found array with dim 3, while dim <= 2 is required"),
        (np.float64(1.0), r"y should be a 1d array, got an array of shape \(\)"),
        (changed(Y, 4, np.nan), "Input y contains NaN.* in 1 of 20 rows, first in row 4"),
        (
            changed(Y, slice(7, 9), -np.inf),
            "Input y contains .*infinity.* in 2 of 20 rows, first in row 7",
        ),
    ],
)
def test_targets(fit, y, message):
    with pytest.raises(ValueError, match=message):
        fit(X, y)


@pytest.mark.parametrize("y", [["a", "b"] * 10, np.array(["1", "2"] * 10, dtype=object)])
@pytest.mark.parametrize("target", [Dataset, lambda X, y: PLBoostRegressor().fit(X, y)])
def test_text_is_no_target_of_a_regression(target, y):
    with pytest.raises(ValueError, match=r"y must hold numbers, got text.*PLBoostClassifier"):
        target(X, y)


@pytest.mark.parametrize(
    "y",
    [
        [None, "a"] * 10,
        np.array(["a", np.nan] * 10, dtype=object),
        pd.Series(["a", pd.NA] * 10),
        pl.Series(["a", None] * 10),
    ],
)
def test_missing_labels_are_counted(y):
    with pytest.raises(ValueError, match="contains NaN, infinity or None in 10 of 20 rows"):
        PLBoostClassifier().fit(X, y)


def test_many_classes_are_not_all_listed():
    message = r"Known classes: \[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...\]"
    with pytest.raises(ValueError, match=message):
        PLBoostClassifier().fit(X, np.arange(20), eval_set=(X[:1], [20]))


def test_one_class():
    with pytest.raises(ValueError, match=r"two classes or more, got only one class: \['a'\]"):
        PLBoostClassifier().fit(X, ["a"] * 20)


def test_one_class_after_the_rows_of_weight_zero_are_gone():
    message = r"got only one class in the rows of positive weight: \[1\]"
    with pytest.raises(ValueError, match=message):
        PLBoostClassifier().fit(X, Y, sample_weight=Y)


def test_numbers_that_are_no_classes():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        PLBoostClassifier().fit(X, np.linspace(0, 1, 20))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(19), "sample_weight has 19 values, but X has 20 rows"),
        (np.ones((20, 1)), r"sample_weight must be one-dimensional, got the shape \(20, 1\)"),
        (np.zeros(20), "all values of sample_weight are zero"),
        (0, "all values of sample_weight are zero"),
        (changed(np.ones(20), 5, -0.5), "Negative values in sample_weight: got -0.5 in row 5"),
        (changed(np.ones(20), 6, np.nan), "sample_weight must be finite, got nan in row 6"),
        (changed(np.ones(20), 6, np.inf), "sample_weight must be finite, got inf in row 6"),
        (np.full(20, 1e308), "sample_weight must sum to at most 1e30, got inf"),
        (["heavy"] * 20, "sample_weight must hold one number for each row"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_weights(fit, weight, message):
    with pytest.raises(ValueError, match=message):
        fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_number_is_the_weight_of_every_row(estimator):
    twice = estimator(random_state=0, n_estimators=2, min_samples_leaf=2).fit(X, Y, sample_weight=2)
    rows = np.full(20, 2.0)
    same = estimator(random_state=0, n_estimators=2, min_samples_leaf=2).fit(X, Y, rows)
    assert twice.booster_.to_bytes() == same.booster_.to_bytes()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_another_number_of_features_at_predict(estimator):
    model = estimator().fit(X, Y)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2 features"):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="X has 3 features, but the model was trained with 2"):
        model.booster_.predict(np.zeros((2, 3)))


@pytest.mark.parametrize("frame_type", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_another_order_or_other_names_at_predict(estimator, frame_type):
    frame = frame_type({"a": X[:, 0], "b": X[:, 1]})
    model = estimator().fit(frame, Y)
    # The second wording is for frames whose names scikit-learn does not see.
    with pytest.raises(ValueError, match=r"in the same order as they were in fit|in another order"):
        model.predict(frame[["b", "a"]])
    with pytest.raises(ValueError, match=r"columns of X are in another order.* column 0 is 'b'"):
        model.booster_.predict(frame[["b", "a"]])
    other = frame_type({"a": X[:, 0], "c": X[:, 1]})
    with pytest.raises(ValueError, match=r"that were passed during fit|missing: 'b'; unknown: 'c'"):
        model.predict(other)
    with pytest.raises(ValueError, match="missing: 'b'; unknown: 'c'"):
        model.booster_.predict(other)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_text_at_predict(estimator):
    model = estimator().fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    with pytest.raises(ValueError, match=r"not numeric: 'b' \(text\)"):
        model.predict(pd.DataFrame({"a": [1.0], "b": ["x"]}))


@pytest.mark.parametrize(
    ("eval_set", "error", "message"),
    [
        (
            "valid",
            TypeError,
            r"eval_set must be a tuple \(X, y\) or a list of such tuples, got str",
        ),
        ((X,), ValueError, r"eval_set\[0\] must be .* got tuple of length 1"),
        ([X], ValueError, r"eval_set\[0\] must be \(X, y\) or .* got ndarray"),
        ([(X, Y), (X,) * 5], ValueError, r"eval_set\[1\] must be .* got tuple of length 5"),
        ((X[:, :1], Y), ValueError, "X has 1 features"),
        ((X, Y[:3]), ValueError, "y of eval set 'eval_0' has 3 values, but X has 20 rows"),
    ],
)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_evaluation_sets(estimator, eval_set, error, message):
    with pytest.raises(error, match=message):
        estimator().fit(X, Y, eval_set=eval_set)


def test_unknown_labels_in_an_evaluation_set():
    message = r"labels that are not in the training data: \['c'\]. Known classes: \['a', 'b'\]"
    with pytest.raises(ValueError, match=message):
        PLBoostClassifier().fit(X, ["a", "b"] * 10, eval_set=(X[:2], ["a", "c"]))
