"""Rows drawn for a tree: how many, which, and what they weigh."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from plboost import _core
from tests.oracle import fast
from tests.reference.binning import encode, find_bins
from tests.reference.boost import scale_tree
from tests.reference.options import Options
from tests.reference.problem import Confirmed
from tests.reference.verify import verify_tree
from tests.rounds import train_with_slopes

N = 400


def options(**values):
    chosen = _core.TrainingOptions()
    for name, value in values.items():
        setattr(chosen, name, value)
    return chosen


def dataset(n=N, weight=None, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 3)), 2)
    y = X[:, 0] + np.abs(X[:, 1]) + 0.3 * rng.normal(size=n)
    return X, y, _core.Dataset(X, y, weight, max_bins=255, seed=seed, n_threads=1)


def draw(g, tree=0, weight=None, **values):
    data = dataset(len(g), weight)[2]
    g = g.astype(np.float32)
    return _core.stages.draw_rows(data, g, np.abs(g) + 1, options(**values), tree)


def test_uniform_draws_take_the_part_asked_for_as_it_is():
    g = np.random.default_rng(0).normal(size=N)
    w, drawn_g, drawn_h = draw(g, subsample=0.3)
    taken = w > 0
    assert taken.sum() == 120
    assert set(w) == {0.0, 1.0}
    assert_allclose(drawn_g, np.where(taken, g, 0), rtol=1e-6)
    assert_allclose(drawn_h, np.where(taken, np.abs(g) + 1, 0), rtol=1e-6)


def test_every_row_is_drawn_as_often_as_any_other():
    g = np.zeros(50)
    counts = sum(draw(g, tree=tree, subsample=0.4)[0] for tree in range(500))
    # 200 expected, with a standard deviation of 11.
    assert counts.min() > 150
    assert counts.max() < 250


def test_goss_keeps_the_largest_gradients_and_is_right_on_average():
    rng = np.random.default_rng(0)
    g = rng.normal(size=N)
    values = {"subsample": 0.3, "subsample_method": "goss", "top_rate": 0.1}
    top = np.argsort(-np.abs(g))[:40]
    sums = []
    for tree in range(400):
        w, drawn_g, _ = draw(g, tree=tree, **values)
        assert (w[top] == 1).all()
        assert (w > 0).sum() == 120
        # 80 rows stand for 360.
        assert_allclose(np.unique(w), [0, 1, 4.5])
        assert_allclose(w.sum(), N)
        sums.append(drawn_g.sum())
    others = np.delete(g, top)
    deviation = 4.5 * np.sqrt(80 * (1 - 80 / 360)) * others.std() / np.sqrt(len(sums))
    assert abs(np.mean(sums) - g.sum()) < 4 * deviation


def test_among_equal_gradients_goss_keeps_others_in_every_tree():
    values = {"subsample": 0.5, "subsample_method": "goss"}
    weights = [draw(np.ones(100), tree=tree, **values)[0] for tree in range(400)]
    # Each row counts once on average: a third of the rows once, 17 of the others four times.
    mean = np.mean(weights, axis=0)
    assert mean.min() > 0.5
    assert mean.max() < 1.5


def test_two_thirds_are_top_unless_told():
    w = draw(np.arange(N), subsample=0.3, subsample_method="goss")[0]
    assert (w == 1).sum() == 80
    assert (w > 1).sum() == 40


def test_draws_differ_between_trees_and_seeds():
    g = np.arange(N)
    draws = [
        draw(g, tree=tree, subsample=0.5, seed=seed)[0] for tree, seed in ((0, 0), (1, 0), (0, 1))
    ]
    for i in range(3):
        assert 0.3 < np.mean(draws[i] == draws[i - 1]) < 0.7
    again = draw(g, tree=1, subsample=0.5, seed=0)[0]
    assert np.array_equal(again, draws[1])


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
@pytest.mark.parametrize("method", ["uniform", "goss"])
@pytest.mark.parametrize("extrapolation", ["clamp", "linear"])
def test_a_tree_is_that_of_its_rows(extrapolation, method, loss):
    """The second tree of a forest is the reference's tree of the rows drawn for it."""
    rng = np.random.default_rng(3)
    weight = rng.integers(1, 3, size=N).astype(float)
    X, y, _ = dataset()
    if loss == "log_loss":
        y = (y > np.median(y)).astype(float)
    data = _core.Dataset(X, y, weight, max_bins=255, seed=0, n_threads=1)
    plain = Options(max_leaves=6, extrapolation=extrapolation, min_samples_leaf=10.0)
    training = fast.training_options(plain)
    values = {
        "loss": loss, "subsample": 0.5, "subsample_method": method, "seed": 7,
    }  # fmt: skip
    for name, value in values.items():
        setattr(training, name, value)
    trained = train_with_slopes(data, training, n_rounds=2, learning_rate=0.5)
    forest = trained.forest
    _, before, after = (Confirmed(*slopes) for (slopes,) in trained.slopes)
    order = _core.stages.row_order(data)
    X, y, weight = X[order], y[order], weight[order]
    scores = forest.predict(np.ascontiguousarray(X), n_threads=1, last_tree=1)
    initial, unit, _, g, h = _core.stages.gradients(loss, y, weight, scores)
    assert np.isfinite(initial)
    w, g, h = _core.stages.draw_rows(data, g, h, training, 1)
    bins = [find_bins(column, weight, 255) for column in X.T]
    codes = np.column_stack([encode(x, b) for x, b in zip(X.T, bins, strict=True)])
    tree = fast.to_reference(forest.to_arrays(), bins, np.empty(0, dtype=np.int32), tree=1)
    rows = w > 0
    report = verify_tree(
        scale_tree(tree, 1 / (0.5 * unit)),
        bins, codes[rows], g[rows], h[rows], w[rows], plain, leaf_tolerance=1e-5,
        slopes_before=before, slopes=after,
    )  # fmt: skip
    assert report.splits == 5
