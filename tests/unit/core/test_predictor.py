from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.problems import STEADY
from tests.unit.core.hand_forest import hand_forest

NAN, INF = np.nan, np.inf
NEXT = np.nextafter(0.5, 1)


def predict(X, forest=None, first=0, last=None, n_threads=1):
    forest = hand_forest() if forest is None else forest
    X = np.asarray(X) if isinstance(X, np.ndarray) else np.array(X, dtype=float)
    last = forest.n_trees if last is None else last
    return forest.predict(X, n_threads=n_threads, first_tree=first, last_tree=last)


def tree_0(*rows):
    return (predict(list(rows), last=1) - 1000).tolist()


def test_threshold_itself_goes_left():
    assert tree_0((0.5, 10), (NEXT, 10), (-5, 10), (0.6, 10)) == [1, -1, 1, -1]


def test_missing_values_go_to_their_side():
    # x0 missing: left. x1 missing counts as its mean in a line, and goes right at the inner node.
    assert tree_0((NAN, 10), (NAN, NAN), (0.0, NAN), (1.0, NAN)) == [1, 1, 1, 100]


def test_infinite_threshold_takes_every_value():
    assert tree_0((1, INF), (1, -INF), (1, 1e308)) == [-1, -1, -1]


def test_line_in_standardised_units():
    # u1 = (x1 - 10) / 2
    assert tree_0((0, 11), (0, 12), (0, 9.5)) == [2, 3, 0.5]


def test_clamp():
    assert tree_0((0, 13), (0, 14), (0, 1e308), (0, 9), (0, 8), (0, -1e308)) == [4, 4, 4, 0, 0, 0]


def test_infinite_values_are_the_ends_of_the_training_data():
    # feature_max of x1 is 16: 1 + 2 * 3, clamped to 4. Tree 1 has no clamp: x0 is in [-3, 3].
    assert tree_0((0, INF), (0, -INF)) == [4, 0]
    assert (predict([(INF, 0), (-INF, 0)], first=1) - 1000).tolist() == [0.75, -0.75]
    assert tree_0((INF, 10), (-INF, 10)) == [-1, 1]


def test_values_beyond_the_training_data_are_clipped_where_the_model_says_so():
    forest = hand_forest(feature_clips=[1, 0])
    beyond = predict([(8.0, 0), (-1e6, 0), (2.0, 0)], first=1, forest=forest)
    assert (beyond - 1000).tolist() == [0.75, -0.75, 0.5]


def test_no_clamp_follows_the_line_up_to_1e15_deviations():
    assert (predict([(8.0, 0), (-1e6, 0)], first=1) - 1000).tolist() == [2, -2.5e5]
    assert predict([(1e15, 0), (1e20, 0), (1e308, 0)], first=1).tolist() == [2.5e14 + 1000] * 3


def test_trees_are_added_in_order():
    row = [(0.25, 12.0)]
    assert predict(row).tolist() == [1000 + 3 + 0.0625]
    assert predict(row, last=0).tolist() == [1000]
    assert predict(row, last=1).tolist() == [1003]
    assert predict(row, first=1, last=2).tolist() == [1000.0625]
    assert predict(row, first=2, last=2).tolist() == [1000]


@pytest.mark.parametrize(("first", "last"), [(0, 3), (2, 1), (3, 3), (5, 9)])
def test_trees_that_do_not_exist(first, last):
    with pytest.raises(ValueError, match=rf"trees \[{first}, {last}\) are not among .* 2"):
        predict([(0.0, 0.0)], first=first, last=last)


@pytest.mark.parametrize("n_features", [0, 1, 3])
def test_number_of_features_must_match(n_features):
    with pytest.raises(ValueError, match=f"X has {n_features} features, the model has 2"):
        predict(np.zeros((4, n_features)))


@pytest.mark.parametrize("dtype", [np.int64, np.float16, np.int32, bool])
def test_other_types_are_refused(dtype):
    with pytest.raises(ValueError, match="X must be float32 or float64"):
        predict(np.zeros((2, 2), dtype=dtype))


def layouts(X):
    """The same numbers in every memory layout."""
    padded = np.full((2 * len(X), 3 * X.shape[1]), 77.0, dtype=X.dtype)
    padded[::2, ::3] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    return {
        "C": np.ascontiguousarray(X),
        "Fortran": np.asfortranarray(X),
        "strided": padded[::2, ::3],
        "strided, transposed": np.ascontiguousarray(padded.T).T[::2, ::3],
        "reversed": np.ascontiguousarray(X[::-1])[::-1],
        "both reversed": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "read-only": read_only,
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", list(layouts(np.zeros((1, 2)))))
def test_every_memory_layout(dtype, layout):
    rng = np.random.default_rng(0)
    # More than a block of rows, and numbers that float32 holds exactly.
    X = (rng.normal(size=(700, 2)) * 4).astype(np.float32).astype(np.float64)
    X[::50, 0], X[::70, 1], X[::90, 0] = NAN, INF, -INF
    expected = predict(X)
    got = predict(layouts(X.astype(dtype))[layout])
    assert got.tobytes() == expected.tobytes()


def test_broadcast_row():
    X = np.broadcast_to(np.array([0.25, 12.0]), (5, 2))
    assert predict(X).tolist() == [1003.0625] * 5


def test_no_rows():
    assert predict(np.zeros((0, 2))).shape == (0,)


@pytest.mark.parametrize("n_threads", [2, 3, 5])
def test_threads_do_not_matter(n_threads):
    X = np.random.default_rng(1).normal(size=(3000, 2)) * 5
    assert predict(X, n_threads=n_threads).tobytes() == predict(X).tobytes()


@settings(STEADY, max_examples=200)
@given(x0=st.floats(), x1=st.floats())
def test_any_number_gives_a_finite_prediction(x0, x1):
    assert np.isfinite(predict([(x0, x1)])).all()


@settings(STEADY, max_examples=200)
@given(x0=st.floats(), x1=st.floats())
def test_against_a_plain_walk(x0, x1):
    low, high = {0: -3.0, 1: 4.0}, {0: 3.0, 1: 16.0}

    def standard(value, feature, mean, scale):
        if np.isnan(value):
            return 0.0
        if np.isinf(value):
            value = high[feature] if value > 0 else low[feature]
        with np.errstate(over="ignore"):
            return float(np.clip((np.float64(value) - mean) / scale, -1e15, 1e15))

    if np.isnan(x0) or x0 <= 0.5:
        first = min(4.0, max(0.0, 1.0 + 2.0 * standard(x1, 1, 10.0, 2.0)))
    else:
        first = 100.0 if np.isnan(x1) else -1.0
    second = 0.0 + 0.25 * standard(x0, 0, 0.0, 1.0)
    assert predict([(x0, x1)]).tolist() == [1000.0 + first + second]


@pytest.mark.parametrize("n", [127, 128, 129, 400])
def test_many_rows_get_the_bits_of_each_alone(n):
    rng = np.random.default_rng(n)
    X = rng.normal(0.5, 3.0, size=(n, 2))
    X[rng.random(size=X.shape) < 0.3] = NAN
    X[rng.random(size=X.shape) < 0.1] = INF
    X[rng.random(size=X.shape) < 0.1] = -INF
    X[rng.random(size=X.shape) < 0.2] = 0.5
    alone = np.concatenate([predict(row[None, :]) for row in X])
    assert predict(X).tobytes() == alone.tobytes()
    assert predict(X, n_threads=3).tobytes() == alone.tobytes()
