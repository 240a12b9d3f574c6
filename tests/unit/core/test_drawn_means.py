"""Means of leaves, drawn to those of the nodes above them: worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from plboost import _core
from tests.unit.core.grown import dataset, grow, options

X = np.repeat([0.0, 1.0], 4)
# Means -1 and 1; what is left of each row is 0.5 or -0.5, so that the squares left are 8 / 4.
Y = np.array([-1.5, -0.5, -1.5, -0.5, 0.5, 1.5, 0.5, 1.5])


def means(y, x=X, **values):
    given = {"max_leaves": 2, "max_regressors": 0, "l2": 0.0}
    tree = grow(x, -np.asarray(y), **given | values)
    return [leaf.intercept for leaf in tree.leaves]


def test_so_many_times_what_chance_would_do_is_taken_back():
    # The children are apart by 8 * 1^2, chance does 2 / 8 = 0.25: 3 times 0.25 / 8 is taken back.
    assert means(Y, mean_shrinkage=0.0) == [-1.0, 1.0]
    part = 1 - 3 * 0.25 / 8
    assert means(Y, mean_shrinkage=3.0) == pytest.approx([-part, part], rel=1e-12)


def test_a_split_of_nothing_but_chance_is_undone():
    assert means(Y, mean_shrinkage=32.0) == [0.0, 0.0]
    assert means(Y + 7.0, mean_shrinkage=1e9) == pytest.approx([7.0, 7.0], rel=1e-12)


def test_without_noise_nothing_is_drawn():
    assert means(np.sign(Y), mean_shrinkage=1e6) == [-1.0, 1.0]


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_the_targets_does_not_matter(scale):
    assert means(scale * Y, mean_shrinkage=5.0) == pytest.approx(
        scale * np.array(means(Y, mean_shrinkage=5.0)), rel=1e-6
    )


def test_the_papers_penalty_leaves_means_alone():
    assert means(Y, mean_shrinkage=3.0, penalty="paper") == [-1.0, 1.0]


def test_what_the_line_above_says_is_no_chance():
    # The root carries a line of the first column and is cut by the second, which follows the first:
    # the means of its children lie on the line, and stay there however much is taken back.
    rng = np.random.default_rng(0)
    x = np.column_stack([np.linspace(-1, 1, 400), np.repeat([0.0, 1.0], 200)])
    y = 3.0 * x[:, 0] + 0.1 * rng.normal(size=400)
    values = {
        "max_leaves": 2, "slope_shrinkage": 0.0, "split_features": [0, 1],
        "regressor_features": [1, 0], "mean_shrinkage": 1e9,
    }  # fmt: skip
    tree = grow(x, -y, **values)
    assert len(tree.leaves) == 2
    fitted = tree.forest.predict(x, n_threads=1, last_tree=1)
    assert np.abs(fitted - 3.0 * x[:, 0]).max() < 0.1


def test_a_weight_of_two_is_the_row_twice():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    weight = rng.integers(1, 4, size=60)
    chosen = {"max_leaves": 5, "min_samples_leaf": 3.0, "mean_shrinkage": 3.0}
    once = grow(x, -(weight * y), weight.astype(float), weight.astype(float), **chosen)
    rows = np.repeat(np.arange(60), weight)
    often = grow(x[rows], -y[rows], **chosen)
    at = [tree.forest.predict(x, n_threads=1, last_tree=1) for tree in (once, often)]
    np.testing.assert_allclose(at[0], at[1], rtol=1e-5, atol=1e-6)


def test_losses_of_quantiles_keep_their_constants():
    # Their leaves are quantiles of what slopes leave, whatever means were fitted before.
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(200, 2)), rng.normal(size=200)
    trees = []
    for mean_shrinkage in (0.0, 3.0):
        chosen = options(loss="absolute_error", max_leaves=6, mean_shrinkage=mean_shrinkage)
        trainer = _core.Trainer(dataset(x, y=y), chosen, [], n_threads=1)
        trainer.round(0.1)
        trees.append(trainer.forest().to_arrays())
        trainer.close()
    for name, values in trees[0].items():
        np.testing.assert_array_equal(values, trees[1][name])
