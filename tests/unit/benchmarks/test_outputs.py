from __future__ import annotations

import numpy as np
import pytest

from benchmarks.outputs.forests import boost
from benchmarks.outputs.sets import Parts, load_parts
from benchmarks.outputs.trees import Bins, Cost, Setting, grow
from plboost import Dataset, train


def one_output() -> Parts:
    parts = load_parts("unrelated", 400, seed=0)
    training, validation, test = (Y[:, :1] for Y in parts.Y)
    return Parts(parts.X, (training, validation, test))


def test_both_forms_are_the_same_with_one_output() -> None:
    parts = one_output()
    each, shared = (
        boost(parts, Setting(), is_shared=is_shared, n_rounds=5, rate=0.3)
        for is_shared in (False, True)
    )
    assert each.rmse == shared.rmse
    assert each.cost == shared.cost


def test_outputs_that_are_equal_share_the_tree_of_one() -> None:
    parts = one_output()
    bins = Bins(parts.X[0])
    codes = bins.encode(parts.X[0])
    u = bins.training_values(codes)
    g = -parts.Y[0]
    _, alone = grow(bins, codes, u, g, Setting(), Cost())
    _, together = grow(bins, codes, u, np.hstack([g, g, g]), Setting(), Cost())
    np.testing.assert_allclose(together, np.hstack([alone] * 3), rtol=1e-9)


def test_leaves_of_a_shared_tree_know_all_outputs() -> None:
    # Each output is a step of its own feature: three cuts serve both.
    X = np.random.default_rng(0).normal(size=(400, 2))
    bins = Bins(X)
    codes = bins.encode(X)
    limits = [edges[15] for edges in bins.edges]
    g = (limits < X).astype(float)
    setting = Setting(max_leaves=4, max_regressors=0, l2=0.0)
    _, out = grow(bins, codes, bins.training_values(codes), g, setting, Cost())
    np.testing.assert_allclose(out, -g, atol=1e-12)


def test_a_tree_of_one_output_is_that_of_plboost() -> None:
    rng = np.random.default_rng(0)
    # Few values, so that every value is a bin for both.
    X = rng.integers(16, size=(4000, 5)).astype(float)
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] / 30 + 0.1 * rng.normal(size=len(X))
    y = (y - y.mean()) / y.std()
    bins = Bins(X)
    codes = bins.encode(X)
    setting = Setting(max_leaves=12, slope_shrinkage=0.0)
    _, out = grow(bins, codes, bins.training_values(codes), -y[:, None], setting, Cost())
    params = {
        "n_estimators": 1, "learning_rate": 1.0, "max_leaves": 12, "split_sample": None,
        "slope_shrinkage": 0.0, "mean_shrinkage": 0.0,
    }  # fmt: skip
    booster = train(params, Dataset(X, y), n_jobs=1)
    np.testing.assert_allclose(out[:, 0], booster.predict(X), atol=1e-4)


@pytest.mark.parametrize("name", ["repeats", "mixtures-10-of-3", "unrelated", "digits"])
def test_parts_do_not_overlap(name: str) -> None:
    parts = load_parts(name, 300, seed=1)
    assert [len(X) for X in parts.X[:2]] == [300, 100]
    assert all(len(X) == len(Y) for X, Y in zip(parts.X, parts.Y, strict=True))
    assert parts.Y[0].shape[1] == parts.Y[2].shape[1] > 1
