from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from plboost import Dataset, train
from plboost.dataset import seed_of


def test_rows_of_weight_zero_do_not_count(problem):
    X, y = problem
    weight = np.ones(len(y))
    weight[:40] = 0
    weight[40:50] = 2
    dataset = Dataset(X, y, sample_weight=weight)
    assert (dataset.n_rows, dataset.n_features) == (len(y) - 40, 3)
    assert dataset.total_weight == len(y) - 40 + 10
    assert repr(dataset) == f"Dataset(n_rows={len(y) - 40}, n_features=3)"


def test_one_dataset_trains_many_models_each_as_if_alone(problem):
    shared = Dataset(*problem)
    for params in ({"max_leaves": 4}, {"max_leaves": 16, "max_regressors": 0}, {"max_leaves": 4}):
        params["n_estimators"] = 5
        alone = train(params, Dataset(*problem))
        assert train(params, shared).to_bytes() == alone.to_bytes()


@pytest.mark.parametrize(
    "convert",
    [
        lambda X: np.asfortranarray(X),
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X[:, ::-1][:, ::-1],
        lambda X: X[::-1][::-1],
        lambda X: X.tolist(),
        lambda X: X.astype(">f8"),
        lambda X: X.astype(object),
    ],
)
def test_the_memory_layout_does_not_matter(problem, convert):
    X, y = problem
    expected = train({"n_estimators": 3}, Dataset(X, y))
    found = train({"n_estimators": 3}, Dataset(convert(X), y))
    assert found.to_bytes() == expected.to_bytes()
    np.testing.assert_array_equal(found.predict(convert(X)), expected.predict(X))


def test_strides_that_are_no_multiple_of_the_item_are_read_correctly(problem):
    X, y = problem
    packed = np.zeros(len(X), dtype=[("x", np.float64, 3), ("odd", np.int32)])
    packed["x"] = X
    view = packed["x"]
    assert view.strides[0] % view.itemsize
    expected = train({"n_estimators": 3}, Dataset(X, y))
    assert train({"n_estimators": 3}, Dataset(view, y)).to_bytes() == expected.to_bytes()


def test_float32_is_the_same_as_its_values_in_float64(problem):
    X, y = problem
    single = X.astype(np.float32)
    models = [train({"n_estimators": 3}, Dataset(M, y)) for M in (single, single.astype(float))]
    assert models[0].to_bytes() == models[1].to_bytes()


def test_the_arrays_of_the_user_are_not_changed(problem):
    X, y = problem
    weight = np.linspace(0, 2, len(y))
    copies = [a.copy() for a in (X, y, weight)]
    for array in (X, y, weight):
        array.flags.writeable = False
    train({"n_estimators": 3}, Dataset(X, y, sample_weight=weight))
    for array, original in zip((X, y, weight), copies, strict=True):
        np.testing.assert_array_equal(array, original)


def test_changing_the_arrays_after_binning_changes_nothing(problem):
    X, y = problem
    expected = train({"n_estimators": 3}, Dataset(X, y)).to_bytes()
    weight = np.ones(len(y))
    dataset = Dataset(X, y, sample_weight=weight)
    X[:], y[:], weight[:] = -1.0, -1.0, -1.0
    assert train({"n_estimators": 3}, dataset).to_bytes() == expected


def test_names_are_kept(problem):
    assert Dataset(*problem).feature_names is None
    assert Dataset(*problem, feature_names=("a", "b", "c")).feature_names == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["a", "b"], ValueError, "feature_names has 2 names, but X has 3 columns"),
        (["a", "b", "a"], ValueError, "got 'a' twice"),
        (["a", "b", 3], TypeError, r"feature_names must be strings, got 3 \(int\)"),
        ("abc", TypeError, "feature_names must be a sequence of strings, got the string 'abc'"),
    ],
)
def test_wrong_names_are_refused(problem, names, error, message):
    with pytest.raises(error, match=message):
        Dataset(*problem, feature_names=names)


@pytest.mark.parametrize("operation", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_dataset_says_that_it_cannot_be_copied(problem, operation):
    with pytest.raises(TypeError, match="a Dataset cannot be pickled or copied"):
        operation(Dataset(*problem))


def test_seeds():
    assert seed_of(0) == 0
    assert seed_of(np.uint32(2**32 - 1)) == 2**32 - 1
    assert seed_of(np.random.RandomState(5)) == seed_of(np.random.RandomState(5))
    random_state = np.random.RandomState(5)
    assert seed_of(random_state) != seed_of(random_state)
    np.random.seed(5)  # noqa: NPY002 - None means this generator, as in scikit-learn
    assert seed_of(None) == seed_of(np.random.RandomState(5))


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_seeds_out_of_range_are_refused(seed):
    with pytest.raises(
        ValueError, match=f"random_state must be between 0 and 4294967295, got {seed}"
    ):
        seed_of(seed)


@pytest.mark.parametrize("random_state", [1.0, "0", True, np.random.default_rng(0)])
def test_other_random_states_are_refused(random_state):
    with pytest.raises(TypeError, match="random_state must be None, an int or a numpy"):
        seed_of(random_state)
