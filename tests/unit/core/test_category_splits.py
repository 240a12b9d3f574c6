"""Splits by sets of categories: growth, prediction and the reader of models."""

from __future__ import annotations

import numpy as np
import pytest

from plboost import _core
from tests.unit.core.hand_forest import hand_arrays, hand_forest


def one_set(*codes):
    bits = np.zeros(256, dtype=np.uint8)
    bits[list(codes)] = 1
    return np.packbits(bits, bitorder="little")


def with_set(*codes, **changes):
    """The hand-made forest with its root split by categories of feature 0."""
    return {"node_category_set": [0, -1, -1, -1, -1, -1], "category_set": one_set(*codes)} | changes


ODD = [np.nan, np.inf, -np.inf, -1.0, 256.0, 1e300, -0.5]


@pytest.mark.parametrize("missing_left", [0, 1])
@pytest.mark.parametrize("copies", [1, 200])
def test_codes_of_the_set_go_left_and_what_is_no_code_is_missing(missing_left, copies):
    forest = hand_forest(
        **with_set(1, 7, 255, node_missing_left=[missing_left, 0, 0, 0, 0, 0], base_score=[0.0])
    )
    values = np.array([0.0, 1.0, 2.0, 7.0, 8.0, 255.0, 254.0, *ODD])
    X = np.column_stack([values, np.full(len(values), 10.0)])
    expected = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, *[1.0 if missing_left else -1.0] * len(ODD)]
    found = forest.predict(np.tile(X, (copies, 1)), n_threads=1, first_tree=0, last_tree=1)
    np.testing.assert_array_equal(found, np.tile(expected, copies))


def test_arrays_with_sets_come_back_bit_for_bit():
    arrays = hand_arrays(**with_set(0, 3, 200))
    back = _core.Forest.from_arrays("log_loss", arrays).to_arrays()
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        assert back[name].tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"node_category_set": [0]}, "node_category_set must have 6 elements, has 1"),
        ({"node_category_set": []}, "category_set must have 0 elements, has 32"),
        ({"category_set": np.zeros(31)}, "category_set must have 32 elements, has 31"),
        ({"category_set": []}, "category_set must have 32 elements, has 0"),
        ({"node_category_set": [1, -1, -1, -1, -1, -1]}, "not in order at element 0"),
        ({"node_category_set": [-2, -1, -1, -1, -1, -1]}, "not in order at element 0"),
        ({"node_category_set": [2**31 - 1, -1, -1, -1, -1, -1]}, "not in order at element 0"),
        ({"node_category_set": [0, -1, 0, -1, -1, -1]}, "not in order at element 2"),
        ({"node_category_set": [-1, 0, -1, -1, -1, -1]}, "gives a leaf a set"),
    ],
)
def test_hostile_sets(changes, message):
    with pytest.raises(ValueError, match=message):
        hand_forest(**(with_set(1) | changes))


def dataset(X, n_categories, max_bins=255):
    return _core.Dataset(
        np.asarray(X, dtype=float), np.zeros(len(X)), None, max_bins=max_bins, seed=0, n_threads=1,
        n_categories=n_categories,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("X", "n_categories", "message"),
    [
        ([[0.0], [1.0]], [2, 2], "one value per feature: got 2 values for 1 features"),
        ([[0.0], [1.0]], [-1], "between 0 and max_bins=255, got -1"),
        ([[0.0], [1.0]], [256], "between 0 and max_bins=255, got 256"),
        ([[0.0], [2.0]], [2], "codes 0 to 2 - 1 or NaN, got 2"),
        ([[0.0], [-1.0]], [2], "got -1"),
        ([[0.0], [0.5]], [2], "got 0.5"),
        ([[0.0], [np.inf]], [2], "got inf"),
    ],
)
def test_bad_codes(X, n_categories, message):
    with pytest.raises(ValueError, match=message):
        dataset(X, n_categories)


def test_categories_are_bins_without_values():
    bins = _core.stages.dataset_bins(dataset([[2.0], [0.0], [np.nan]], [3]), 0)
    assert (bins.n_bins, bins.has_missing, bins.usable, bins.can_regress) == (3, True, True, False)
    assert bins.values == [0.0] * 4
    assert bins.encode(np.array([0.0, 1.0, 2.0, np.nan])).tolist() == [0, 1, 2, 3]


def test_categorical_columns_share_no_code():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(200, 4)).astype(float)
    assert _core.stages.dataset_slots(dataset(X, [0, 0, 0, 0])) == [[0, 1, 2, 3]]
    assert sorted(_core.stages.dataset_slots(dataset(X, [3, 0, 3, 0]))) == [[0], [1, 3], [2]]


def grown(codes, y, n_categories, **options):
    training = _core.TrainingOptions()
    training.mean_shrinkage = 0.0
    training.max_leaves, training.min_samples_leaf, training.l2 = 2, 1.0, 0.0
    for name, value in options.items():
        setattr(training, name, value)
    data = dataset(np.reshape(codes, (-1, 1)), [n_categories])
    g, h = -np.asarray(y, dtype=np.float32), np.ones(len(y), dtype=np.float32)
    forest, leaf_of_row = _core.stages.grow_tree(data, g, h, training, n_rows=len(y))
    return forest.to_arrays(), leaf_of_row


def left_codes(arrays, n_categories):
    bits = np.unpackbits(arrays["category_set"], bitorder="little")
    return np.flatnonzero(bits[:n_categories]).tolist()


def test_a_split_worked_by_hand():
    codes = np.repeat([0.0, 1.0, 2.0, 3.0], 2)
    y = np.array([-1, -1, 2, 2, -1, -2, 1, 1])
    arrays, leaf_of_row = grown(codes, y, 4, min_samples_category=0.0, category_smoothing=0.0)
    assert left_codes(arrays, 4) == [1, 3]
    assert leaf_of_row.tolist() == [1, 1, 0, 0, 1, 1, 0, 0]
    assert arrays["leaf_intercept"].tolist() == [1.5, -1.25]
    assert arrays["node_gain"][0] == (6**2 + 5**2) / 8 - 1 / 16
    assert arrays["node_threshold"][0] == 0.0


def test_rare_categories_go_with_the_missing():
    codes = np.array([0, 0, 0, 1, 1, 1, 2, np.nan])
    y = np.array([1, 1, 1, -1, -1, -1, -1, -1])
    arrays, leaf_of_row = grown(codes, y, 4, min_samples_category=2.0, category_smoothing=0.0)
    # Code 3 does not occur at all: it goes where the missing go.
    assert left_codes(arrays, 4) == [0]
    assert arrays["node_missing_left"][0] == 0
    assert leaf_of_row.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    arrays, leaf_of_row = grown(codes, -y, 4, min_samples_category=2.0, category_smoothing=0.0)
    assert left_codes(arrays, 4) == [1, 2, 3]
    assert arrays["node_missing_left"][0] == 1


def test_without_missing_rows_they_go_to_the_heavier_child():
    for codes, missing_left in (([0, 0, 0, 1, 1], 1), ([0, 0, 1, 1, 1], 0), ([0, 0, 1, 1], 1)):
        y = np.where(np.array(codes) == 0, 1.0, -1.0)
        arrays, _ = grown(np.array(codes, float), y, 2, min_samples_category=0.0)
        assert arrays["node_missing_left"][0] == missing_left


def test_a_feature_whose_categories_are_all_rare_is_not_split():
    arrays, _ = grown(np.arange(8.0), np.arange(8), 8, min_samples_category=2.0)
    assert arrays["node_feature"].tolist() == [-1]


def test_255_categories():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(255.0), 4)
    effect = rng.normal(size=255)
    options = {"min_samples_category": 0.0, "category_smoothing": 0.0}
    arrays, _ = grown(codes, np.repeat(effect, 4), 255, **options)
    left = set(left_codes(arrays, 255))
    others = [effect[c] for c in range(255) if c not in left]
    assert 0 < len(left) < 255
    assert min(effect[list(left)]) >= max(others)
