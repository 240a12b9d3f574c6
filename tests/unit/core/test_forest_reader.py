from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost._core import Dataset, Forest, TrainingOptions
from tests.problems import STEADY
from tests.rounds import train_rounds
from tests.unit.core.hand_forest import hand_arrays

NAN, INF = np.nan, np.inf
# The arrays of categories are empty here: tests/unit/core/test_category_splits.py has them.
NAMES = [name for name, array in hand_arrays().items() if len(array)]
HOSTILE_X = np.array([[NAN, NAN], [INF, -INF], [-INF, INF], [1e308, -1e308], [0, 0], [0.5, 10]])


def trained_arrays(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    X[:, 0] = rng.integers(0, 5, size=60)
    X[::7, 0] = NAN
    options = TrainingOptions()
    options.max_leaves, options.min_samples_leaf = 5, 3.0
    options.min_samples_category = 2.0
    y = X[:, 1] * 2 + np.nan_to_num(X[:, 0]) % 3 + rng.normal(size=60)
    # The first feature is categorical in the second model.
    data = Dataset(X, y, None, max_bins=30, seed=0, n_threads=1, n_categories=[5 * (seed % 2), 0])
    return train_rounds(data, options, n_rounds=3).to_arrays()


def predicts(forest):
    """Predict rows that take both sides of every split; without a crash is all that is asked."""
    X = np.vstack([HOSTILE_X, np.random.default_rng(0).normal(size=(50, 2))])
    assert len(forest.predict(X, n_threads=1, last_tree=forest.n_trees)) == len(X)


def test_arrays_come_back_bit_for_bit():
    for arrays in (hand_arrays(), trained_arrays(0), trained_arrays(1)):
        back = Forest.from_arrays("log_loss", arrays).to_arrays()
        assert list(back) == list(arrays)
        for name, array in arrays.items():
            assert back[name].dtype == array.dtype
            assert back[name].tobytes() == array.tobytes()


def test_a_forest_without_trees():
    empty = {name: array[:0] for name, array in hand_arrays().items()}
    kept = {name: hand_arrays()[name] for name in hand_arrays() if name.startswith("feature_")}
    starts = {"tree_node_start": np.zeros(1, np.int64), "leaf_regressor_start": np.zeros(1, int)}
    forest = Forest.from_arrays(
        "squared_error", {**empty, **kept, **starts, "base_score": np.array([2.5])}
    )
    assert forest.n_trees == 0
    assert forest.predict(HOSTILE_X, n_threads=1, last_tree=0).tolist() == [2.5] * len(HOSTILE_X)


@pytest.mark.parametrize("name", list(hand_arrays()))
def test_missing_array(name):
    arrays = hand_arrays()
    del arrays[name]
    with pytest.raises(ValueError, match=f"the array {name} is missing"):
        Forest.from_arrays("squared_error", arrays)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", ["dtype", "2-D", "0-D", "list", "None", "byte order", "strided"])
def test_array_of_the_wrong_kind(name, change):
    array = hand_arrays()[name]
    wrong = {
        "dtype": array.astype(np.float32),
        "2-D": array.reshape(-1, 1),
        "0-D": array[0].reshape(()),
        "list": array.tolist(),
        "None": None,
        "byte order": array.astype(array.dtype.newbyteorder(">")),
        "strided": np.repeat(array, 2)[::2],
    }[change]
    if change == "byte order" and array.dtype.itemsize == 1:
        pytest.skip("one byte has no order")
    if change == "strided" and len(array) == 1:
        pytest.skip("one element has no stride")
    with pytest.raises(ValueError, match=f"the array {name} has the wrong type or shape"):
        Forest.from_arrays("squared_error", {**hand_arrays(), name: wrong})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", ["longer", "shorter", "empty"])
def test_array_of_the_wrong_length(name, change):
    array = hand_arrays()[name]
    # Two base scores are right for two trees, three are not.
    longer = np.append(array, array[[-1, -1]] if name == "base_score" else array[-1:])
    wrong = {"longer": longer, "shorter": array[:-1], "empty": array[:0]}
    with pytest.raises(ValueError, match="not a valid model"):
        Forest.from_arrays("squared_error", {**hand_arrays(), name: wrong[change]})


WRONG = [
    ("base_score", 0, NAN),
    ("base_score", 0, INF),
    ("feature_mean", 1, NAN),
    ("feature_mean", 1, -INF),
    ("feature_scale", 0, 0.0),
    ("feature_scale", 0, -1.0),
    ("feature_scale", 0, NAN),
    ("feature_scale", 0, INF),
    ("feature_min", 0, NAN),
    ("feature_min", 0, 3.5),  # above the largest
    ("feature_max", 1, INF),
    ("feature_clips", 0, 2),
    ("feature_clips", 1, 255),
    ("tree_node_start", 0, 1),
    ("tree_node_start", 1, 0),  # an empty tree
    ("tree_node_start", 1, 4),  # a tree cut in two
    ("tree_node_start", 1, 7),
    ("tree_node_start", 1, -1),
    ("tree_node_start", 1, -(2**63)),
    ("tree_node_start", 2, 2**62),
    ("node_feature", 0, 2),
    ("node_feature", 0, -2),
    ("node_feature", 0, -(2**31)),
    ("node_feature", 0, -1),  # a leaf too many
    ("node_feature", 1, 0),  # a leaf too few
    ("node_threshold", 0, NAN),
    ("node_missing_left", 0, 2),
    ("node_missing_left", 0, 255),
    ("node_left", 0, 0),  # its own child
    ("node_left", 2, 2),  # its own child
    ("node_left", 2, 0),  # a cycle
    ("node_left", 2, 1),  # two parents
    ("node_left", 2, 4),  # the right child is in the next tree
    ("node_left", 2, 5),
    ("node_left", 0, -1),
    ("node_left", 0, -(2**31)),
    ("node_left", 0, 2**31 - 1),
    ("node_left", 0, 3),  # two parents, and orphans
    ("node_gain", 0, NAN),
    ("node_gain", 2, INF),
    ("node_weight", 1, NAN),
    ("node_weight", 1, -1.0),
    ("leaf_intercept", 0, NAN),
    ("leaf_intercept", 3, INF),
    ("leaf_low", 0, 4.5),  # above leaf_high
    ("leaf_low", 0, NAN),
    ("leaf_high", 0, NAN),
    ("leaf_high", 0, -0.5),
    ("leaf_regressor_start", 0, 1),
    ("leaf_regressor_start", 1, -1),
    ("leaf_regressor_start", 2, 0),  # not in order
    ("leaf_regressor_start", 2, 3),
    ("leaf_regressor_start", 4, 2**63 - 1),
    ("regressor_feature", 0, 2),
    ("regressor_feature", 0, -1),
    ("regressor_slope", 0, NAN),
    ("regressor_slope", 1, -INF),
]


@pytest.mark.parametrize(("name", "place", "value"), WRONG)
def test_wrong_number(name, place, value):
    arrays = hand_arrays()
    arrays[name][place] = value
    with pytest.raises(ValueError, match="not a valid model"):
        Forest.from_arrays("squared_error", arrays)


@pytest.mark.parametrize("bound", ["low", "high"])
def test_bounds_that_shut_out_every_number(bound):
    # low = high = inf would make every prediction infinite.
    arrays = hand_arrays()
    arrays["leaf_low"][0] = arrays["leaf_high"][0] = INF if bound == "low" else -INF
    with pytest.raises(ValueError, match="not a valid model"):
        Forest.from_arrays("squared_error", arrays)


def test_unknown_loss():
    with pytest.raises(ValueError, match=r"loss must be one of .* got 'l1'"):
        Forest.from_arrays("l1", hand_arrays())


def test_importance():
    forest = Forest.from_arrays("squared_error", hand_arrays())
    assert forest.importance("gain").tolist() == [2.0, 1.0]
    assert forest.importance("split").tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="kind"):
        forest.importance("cover")


ODD_NUMBERS = st.sampled_from(
    [
        0,
        1,
        -1,
        2,
        3,
        5,
        2**31 - 1,
        -(2**31),
        2**63 - 1,
        -(2**63),
        0.5,
        NAN,
        INF,
        -INF,
        1e308,
        5e-324,
    ]
)


def put(array, place, number):
    """Write any number into any array, as far as its type holds it."""
    if array.dtype.kind == "f":
        array[place] = number
    elif np.isfinite(number):
        limits = np.iinfo(array.dtype)
        array[place] = min(max(int(number), limits.min), limits.max)


@settings(STEADY, max_examples=500)
@given(
    trained=st.booleans(),
    changes=st.lists(
        st.tuples(
            st.sampled_from(list(hand_arrays())), st.integers(0, 10**6), ODD_NUMBERS | st.floats()
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_changed_numbers_are_refused_or_harmless(trained, changes):
    arrays = TRAINED if trained else hand_arrays()
    arrays = {name: array.copy() for name, array in arrays.items()}
    for name, place, number in changes:
        if len(arrays[name]):
            put(arrays[name], place % len(arrays[name]), number)
    try:
        forest = Forest.from_arrays("squared_error", arrays)
    except ValueError:
        return
    predicts(forest)


@settings(STEADY, max_examples=500)
@given(
    name=st.sampled_from(list(hand_arrays())),
    flips=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6),
    rows=st.integers(-3, 3),
)
def test_changed_bytes_are_refused_or_harmless(name, flips, rows):
    arrays = {key: array.copy() for key, array in TRAINED.items()}
    if rows < 0:
        arrays[name] = arrays[name][:rows].copy()
    elif rows > 0:
        arrays[name] = np.append(arrays[name], np.zeros(rows, dtype=arrays[name].dtype))
    data = arrays[name].view(np.uint8)
    for place, value in flips:
        if len(data):
            data[place % len(data)] = value
    try:
        forest = Forest.from_arrays("squared_error", arrays)
    except ValueError:
        return
    predicts(forest)


@settings(STEADY, max_examples=300)
@given(
    feature=st.lists(st.integers(-2, 2), min_size=6, max_size=6),
    left=st.lists(st.integers(-1, 6), min_size=6, max_size=6),
    start=st.integers(0, 6),
)
def test_any_wiring_is_refused_or_harmless(feature, left, start):
    n_leaves = sum(f < 0 for f in feature)
    arrays = hand_arrays(
        node_feature=feature,
        node_left=left,
        tree_node_start=[0, start, 6],
        leaf_intercept=[0.0] * n_leaves,
        leaf_low=[0.0] * n_leaves,
        leaf_high=[1.0] * n_leaves,
        leaf_regressor_start=[0] + [2] * n_leaves,
    )
    try:
        forest = Forest.from_arrays("squared_error", arrays)
    except ValueError:
        return
    predicts(forest)


TRAINED = trained_arrays(seed=1)
