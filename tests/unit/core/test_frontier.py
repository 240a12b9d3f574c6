"""Leaves are expanded ahead of their turn, but the tree is the one of best-first growth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.problems import STEADY
from tests.unit.core.grown import grow

THREADS = (1, 2, 3, 5)


def growth_order(tree):
    """Return the split nodes in the order of their splits."""
    inner = [node for node, feature in enumerate(tree.feature) if feature >= 0]
    return sorted(inner, key=lambda node: tree.left[node])


def assert_best_first(tree):
    """Assert that every split was the best of the leaves that were ever split, when it was made."""
    open_leaves = {0}
    for node in growth_order(tree):
        # Among equals, the one made first.
        assert node == max(open_leaves, key=lambda leaf: (tree.gain[leaf], -leaf))
        open_leaves.remove(node)
        open_leaves |= {tree.left[node], tree.left[node] + 1}


def same(one, other):
    return (one.feature, one.threshold, one.left, one.gain, one.weight) == (
        other.feature, other.threshold, other.left, other.gain, other.weight,
    )  # fmt: skip


@settings(STEADY, max_examples=60)
@given(
    n=st.integers(2, 300),
    max_leaves=st.integers(1, 40),
    max_depth=st.integers(0, 6),
    values=st.integers(2, 50),
    seed=st.integers(0, 2**32 - 1),
)
def test_best_first_for_any_number_of_threads(n, max_leaves, max_depth, values, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, size=(n, 3)).astype(float)
    g = rng.integers(-3, 4, size=n)
    options = {"max_leaves": max_leaves, "max_depth": max_depth, "max_regressors": seed % 3}
    trees = [grow(X, g, n_threads=n_threads, **options) for n_threads in THREADS]
    assert len(trees[0].leaves) <= max_leaves
    assert max_depth == 0 or trees[0].depth <= max_depth
    assert_best_first(trees[0])
    assert all(same(trees[0], tree) for tree in trees[1:])


@pytest.mark.parametrize("n_threads", THREADS)
@pytest.mark.parametrize("max_leaves", range(8, 17))
def test_among_equal_gains_the_leaf_made_first_is_split(n_threads, max_leaves):
    # Eight blocks, 64 above and below 0 in turn, each with a step of its own: when they are apart,
    # their gains are made of the same squares, hence the same bits.
    block = np.repeat(np.arange(8.0), 8)
    inner = np.tile(np.arange(8.0), 8)
    X = np.column_stack([block, inner])
    g = np.where(block % 2 == 0, 64.0, -64.0) + np.where(inner >= 4, 4.0, -4.0)
    tree = grow(X, g, max_leaves=max_leaves, max_regressors=0, n_threads=n_threads)
    order = growth_order(tree)
    blocks, equals = order[:7], order[7:]
    assert {tree.feature[node] for node in blocks} == {0}
    assert {tree.feature[node] for node in equals} <= {1}
    assert len(equals) == max_leaves - 8
    assert len({tree.gain[node] for node in equals}) <= 1
    apart = {0} | {tree.left[node] + side for node in blocks for side in (0, 1)}
    assert equals == sorted(apart - set(blocks))[: len(equals)]


@pytest.mark.parametrize("n_threads", THREADS)
def test_a_better_leaf_below_a_worse_one(n_threads):
    # The exclusive or of two features: the first split gains nearly nothing, the next two a lot.
    a, b, c = (np.tile(np.repeat([0.0, 1.0], size), 64 // (2 * size)) for size in (1, 2, 4))
    g = 10 * (a != b) + 0.5 * a + 2.0 * c
    X = np.column_stack([a, b, c])
    tree = grow(X, g, max_leaves=8, max_regressors=0, n_threads=n_threads)
    gains = [tree.gain[node] for node in growth_order(tree)]
    assert gains != sorted(gains, reverse=True)
    assert_best_first(tree)
