"""Splits may be searched on some of the rows; leaf models and weights always see all of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.unit.core.grown import all_bytes, dataset, grow, train

N = 12_000
SAMPLES = [
    {"split_sample": 0.25},
    {"split_sample_rows": 3000},
    {"split_sample": 0.5, "split_sample_rows": 2000},
]


def make_data(seed=0, n=N):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 3, size=n)
    X[rng.random(X.shape) < 0.05] = np.nan
    filled = np.nan_to_num(X)
    y = filled[:, 0] * filled[:, 1] + np.abs(filled[:, 2]) + filled[:, 3] + rng.normal(size=n)
    return X, y


def fit(data, **values):
    return train(data, **{"n_rounds": 3, "max_leaves": 5, "min_samples_leaf": 20.0, **values})


@pytest.mark.parametrize("fitting", ["half_additive", "fully_corrective"])
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_the_sample_matters_and_is_reproducible(sample, fitting):
    X, y = make_data()
    data = dataset(X, y=y)
    whole = fit(data, fitting=fitting)
    first = fit(data, fitting=fitting, **sample)
    assert all_bytes(first) == all_bytes(fit(data, fitting=fitting, **sample))
    # Each tree still finds the strong splits: what differs is where exactly.
    assert first["node_feature"][0] == whole["node_feature"][0]
    assert first["node_threshold"].tolist() != whole["node_threshold"].tolist()


@pytest.mark.parametrize("fitting", ["half_additive", "additive", "fully_corrective"])
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_the_number_of_threads_does_not_matter(sample, fitting):
    X, y = make_data(1)
    data = dataset(X, y=y)
    models = {
        all_bytes(fit(data, fitting=fitting, n_rounds=2, n_threads=n_threads, **sample))
        for n_threads in (1, 2, 3, 5)
    }
    assert len(models) == 1


def test_another_seed_is_another_model():
    X, y = make_data(2)
    data = dataset(X, y=y)
    models = {all_bytes(fit(data, split_sample=0.25, seed=seed)) for seed in range(5)}
    assert len(models) == 5
    # Without a sample it decides in which order rows are added up: a matter of rounding.
    models = [fit(data, seed=seed, n_rounds=1) for seed in range(5)]
    assert len({model["node_threshold"].tobytes() for model in models}) == 1


def test_every_tree_has_a_sample_of_its_own():
    # Rate 0: every round sees the same gradients, so only the sample can make trees differ.
    X, y = make_data(3)
    arrays = fit(dataset(X, y=y), split_sample=0.25, learning_rate=0.0, n_rounds=8)
    starts = arrays["tree_node_start"]
    thresholds = {tuple(arrays["node_threshold"][a:b]) for a, b in pairwise(starts)}
    assert len(thresholds) >= 7


def test_a_tree_of_few_leaves_sees_no_more_rows_than_these_need():
    X, y = make_data(9, 20_000)
    data = dataset(X, y=y)
    few = [
        all_bytes(fit(data, split_sample=part, split_sample_rows=2048, max_leaves=4))
        for part in (0.6, 1.0)
    ]
    assert few[0] == few[1]


@pytest.mark.parametrize("n", [1, 50, 1024])
def test_small_data_are_searched_whole(n):
    X, y = make_data(4, n)
    data = dataset(X, y=y)
    whole = fit(data, min_samples_leaf=2.0)
    assert all_bytes(fit(data, min_samples_leaf=2.0, split_sample=0.01)) == all_bytes(whole)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_leaves_are_fitted_on_all_rows(sample, weighted):
    rng = np.random.default_rng(5)
    X, y = make_data(5)
    # Dyadic weights: their sums are exact.
    weight = rng.integers(0, 9, size=N) / 4 if weighted else np.ones(N)
    g = (-y * weight).astype(np.float32)
    h = (weight * rng.random(N)).astype(np.float32)
    values = {"max_leaves": 8, "min_samples_leaf": 50.0, "max_regressors": 0, "l2": 3.0}
    values |= {"mean_shrinkage": 0.0, **sample}
    tree = grow(X, g, h, weight, **values)
    assert len(tree.leaves) == 8
    leaf_weights = [w for w, feature in zip(tree.weight, tree.feature, strict=True) if feature < 0]
    assert sum(leaf_weights) == tree.weight[0] == weight.sum()
    for leaf, model in enumerate(tree.leaves):
        rows = (tree.leaf_of_row == leaf) & (weight > 0)
        assert weight[rows].sum() == leaf_weights[leaf]
        mean = -g[rows].sum(dtype=float) / (h[rows].sum(dtype=float) + 3.0)
        assert model.intercept == pytest.approx(mean, rel=1e-12)
    assert (tree.leaf_of_row[weight == 0] == -1).all()


def test_lines_are_fitted_on_all_rows():
    # So few values that each is a bin: predictions from raw values are those that were fitted.
    X = np.round(make_data(6)[0], 1)
    y = np.abs(np.nan_to_num(X)).sum(axis=1) + make_data(6)[1]
    tree = grow(X, -y, max_leaves=6, min_samples_leaf=50.0, split_sample=0.25, mean_shrinkage=0.0)
    fitted = tree.forest.predict(X, n_threads=1, last_tree=1)
    for leaf, model in enumerate(tree.leaves):
        rows = tree.leaf_of_row == leaf
        # Residuals of least squares with a constant sum to 0 over the rows of the fit.
        residual = (y - fitted)[rows]
        assert abs(residual.mean()) < 1e-6 * np.std(y)
        assert model.low == pytest.approx(fitted[rows].min(), rel=1e-6)
        assert model.high == pytest.approx(fitted[rows].max(), rel=1e-6)


def test_a_leaf_never_has_less_than_it_must():
    X, y = make_data(7)
    for sample in SAMPLES:
        tree = grow(X, -y, max_leaves=30, min_samples_leaf=300.0, **sample)
        assert len(tree.leaves) > 4
        assert min(tree.weight) >= 300.0


@pytest.mark.parametrize("value", [0.0, -0.1, 1.5, np.nan])
def test_a_fraction_beyond_0_and_1(value):
    X, y = make_data(8, 50)
    with pytest.raises(ValueError, match="split_sample must be above 0 and at most 1"):
        fit(dataset(X, y=y), split_sample=value)


def test_rows_below_0():
    X, y = make_data(8, 50)
    with pytest.raises(ValueError, match="split_sample_rows must be"):
        fit(dataset(X, y=y), split_sample_rows=-1)
