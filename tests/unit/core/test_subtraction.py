"""Where every split is redundant, the larger child's sums are the parent's less the smaller's."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.meta.repository import ROOT
from tests.property.constant_tree import ConstantTree
from tests.unit.core.grown import grow
from tests.unit.core.test_frontier import growth_order

N = 20_000  # several levels of nodes of 4096 rows and more


def make_columns(rng, n):
    """Columns of few values, where cuts are quickly tried one by one; some rows miss some."""
    X = np.column_stack([rng.integers(0, k, size=n) for k in (25, 17, 2, 3, 5)]).astype(float)
    X[rng.random(n) < 0.1, 1] = np.nan
    X[rng.random(n) < 0.3, 4] = np.nan
    return X


def signal(X, rng):
    filled = np.nan_to_num(X, nan=3.0)
    steps = np.sin(filled[:, 0]) + 2.0 * (filled[:, 1] > 9) * filled[:, 2] + 0.7 * filled[:, 3]
    return steps + 1.3 * np.isnan(X[:, 4]) + rng.normal(size=len(X))


@pytest.mark.parametrize("fitting", ["half_additive", "additive"])
@pytest.mark.parametrize("kind", ["plain", "weights", "hessians"])
@pytest.mark.parametrize("seed", range(3))
def test_constant_trees_are_those_of_a_plain_oracle(seed, kind, fitting):
    rng = np.random.default_rng(seed)
    X = make_columns(rng, N)
    w = rng.random(N) + 0.1 if kind == "weights" else np.ones(N)
    h = rng.random(N) + 0.05 if kind == "hessians" else w
    g, h = (-w * signal(X, rng)).astype(np.float32), h.astype(np.float32)
    options = {"max_leaves": 12, "min_samples_leaf": 20.0, "l2": 1.0, "mean_shrinkage": 0.0}
    tree = grow(
        X, g, h, w if kind == "weights" else None, max_regressors=0, fitting=fitting, **options
    )
    oracle = ConstantTree(X, g.astype(float), h.astype(float), w, 1.0, 20.0, 0.0).grow(12)
    order = growth_order(tree)
    assert order == [node for node, _ in oracle.splits]
    for node, cut in oracle.splits:
        found = tree.feature[node], tree.threshold[node], tree.missing_left[node]
        assert found == (cut.feature, cut.threshold, cut.missing_left), f"node {node}"
        assert_allclose(tree.gain[node], cut.gain, rtol=1e-4)
    leaves = [node for node, feature in enumerate(tree.feature) if feature < 0]
    outputs = [oracle.value(oracle.rows[node]) for node in leaves]
    assert_allclose([leaf.intercept for leaf in tree.leaves], outputs, rtol=1e-9)


@pytest.mark.parametrize("fitting", ["half_additive", "additive"])
@pytest.mark.parametrize("max_regressors", [0, 1, 2])
def test_rows_four_times_are_rows_of_weight_four(max_regressors, fitting):
    # 3000 rows are too few for subtraction, 12000 are not.
    rng = np.random.default_rng(max_regressors)
    X = np.column_stack([rng.normal(size=(3000, 3)), make_columns(rng, 3000)])
    y = np.abs(X[:, 0]) + X[:, 0] * X[:, 1] + signal(X[:, 3:], rng)
    values = {"max_leaves": 10, "min_samples_leaf": 80.0, "l2": 1.0, "l2_slopes": 1.0}
    values |= {"max_regressors": max_regressors, "fitting": fitting}
    few = grow(X, -4 * y, None, np.full(3000, 4.0), **values)
    many = grow(np.tile(X, (4, 1)), -np.tile(y, 4), **values)
    assert few.feature == many.feature
    assert few.threshold == many.threshold
    assert few.left == many.left
    assert_allclose(many.gain, few.gain, rtol=1e-3, atol=1e-2)
    assert np.array_equal(many.leaf_of_row, np.tile(few.leaf_of_row, 4))


# A feature is missing in one child of the first split, and only there. The sums of the missing rows
# in parent and child are cut into blocks at different rows, so that their difference, the missing
# rows of the other child, is rounding instead of nothing. In a process of its own: a split that
# parts nothing from everything can be made again for ever.
LEFTOVER = """
import os, resource, sys
import numpy as np
from tests.unit.core.grown import dataset, train

if "PLBOOST_SANITIZER" not in os.environ:  # whose shadow memory is larger
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
scale, min_samples_leaf = map(float, sys.argv[1:])
rng = np.random.default_rng(0)
n = 60_000
a = (rng.random(n) < 0.16).astype(float)
X = np.column_stack([a, np.where(a > 0, np.nan, 1.0), np.where(a > 0, np.nan, rng.random(n) > 0.5)])
weight = (rng.random(n) + 0.01) * scale
data = dataset(X, weight, y=0.3 * a + rng.normal(size=n))
arrays = train(
    data, n_rounds=1, max_leaves=6, max_regressors=0, min_samples_leaf=min_samples_leaf
)
assert (arrays["node_weight"] > 0).all()
assert np.isfinite(arrays["leaf_low"]).all()
"""


@pytest.mark.parametrize(("scale", "min_samples_leaf"), [(1, 0), (1, 1e-3), (1e4, 20)])
def test_rounding_is_no_row(scale, min_samples_leaf):
    command = [sys.executable, "-c", LEFTOVER, str(scale), str(min_samples_leaf)]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert finished.returncode == 0, finished.stderr
