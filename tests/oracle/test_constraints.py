"""Trees of the core under constraints and with drawn columns, against the reference."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plboost import _core
from tests.oracle import fast
from tests.oracle.cases import SANE_KINDS, Case, cases, tree_options
from tests.problems import STEADY, smooth_problems
from tests.reference.binning import encode
from tests.reference.grow import Tree, grow_tree
from tests.reference.options import ALLOWED, Options

SEVERAL_LEVELS = {
    "max_leaves": 8,
    "max_depth": None,
    "min_samples_leaf": 2.0,
    "min_gain": 0.0,
}


def masks(n_features: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[st.integers(0, 1)] * n_features)


@st.composite
def allowed_features(draw: st.DrawFn, n_features: int) -> dict[str, object]:
    """Draw which features may be cuts, lines, and together."""
    chosen: dict[str, object] = {}
    if draw(st.booleans()):
        chosen["split_features"] = draw(masks(n_features))
    if draw(st.booleans()):
        chosen["regressor_features"] = draw(masks(n_features))
    if draw(st.booleans()):
        group = st.lists(st.integers(0, n_features - 1), min_size=1, max_size=3, unique=True)
        groups = [tuple(sorted(g)) for g in draw(st.lists(group, min_size=1, max_size=3))]
        rest = set(range(n_features)) - {f for group in groups for f in group}
        chosen["interaction_cst"] = (*groups, *((tuple(sorted(rest)),) if rest else ()))
    return chosen


@pytest.mark.parametrize("fitting", ALLOWED["fitting"])
def test_only_allowed_features_are_used(fitting):
    splits = []

    @settings(STEADY, max_examples=80)
    @given(
        case=cases(kinds=SANE_KINDS, min_rows=30, max_rows=80, max_features=4),
        options=tree_options(fitting=fitting, refit_leaves=True, **SEVERAL_LEVELS),
        data=st.data(),
    )
    def check(case, options, data):
        rules = data.draw(allowed_features(case.problem.X.shape[1]))
        if options.regressors == "all":
            rules.pop("interaction_cst", None)
        splits.append(case.check(Options(**{**vars(options), **rules})).splits)

    check()
    assert sum(splits) >= 150


class DrawnColumns(defaultdict):
    """The columns that the core draws for the nodes of a tree."""

    def __init__(self, case: Case, options: _core.TrainingOptions) -> None:
        X, weight = case.problem.X, case.problem.weights
        self.dataset = _core.Dataset(
            X, np.zeros(len(X)), weight, max_bins=case.max_bins, seed=0, n_threads=1
        )
        self.options = options

    def __missing__(self, place: str) -> set[int]:
        return set(_core.stages.node_columns(self.dataset, self.options, 0, place))


@pytest.mark.parametrize("fitting", ALLOWED["fitting"])
def test_nodes_are_cut_by_the_columns_drawn_for_them(fitting):
    splits = []
    fraction = st.sampled_from([0.4, 0.7, 1.0])

    @settings(STEADY, max_examples=60)
    @given(
        case=cases(kinds=SANE_KINDS, min_rows=30, max_rows=80, max_features=6),
        options=tree_options(fitting=fitting, regressors="path", **SEVERAL_LEVELS),
        draws=st.tuples(fraction, fraction, fraction),
        seed=st.integers(0, 9),
        n_threads=st.integers(1, 3),
    )
    def check(case, options, draws, seed, n_threads):
        names = ("colsample_bytree", "colsample_bylevel", "colsample_bynode")
        more = {**dict(zip(names, draws, strict=True)), "seed": seed}
        training = fast.training_options(options)
        for name, value in more.items():
            setattr(training, name, value)
        columns = DrawnColumns(case, training)
        splits.append(case.check(options, n_threads=n_threads, columns=columns, **more).splits)

    check()
    assert sum(splits) >= 150


def shape(tree: Tree) -> list[tuple[object, ...]]:
    return [(n.feature, n.threshold, n.missing_left, n.left) for n in tree.nodes]


def same_leaves(one: Tree, other: Tree) -> bool:
    for a, b in zip(one.nodes, other.nodes, strict=True):
        if a.leaf is None or b.leaf is None:
            continue
        slopes = dict(zip(b.leaf.regressors, b.leaf.slopes, strict=True))
        mine = dict(zip(a.leaf.regressors, a.leaf.slopes, strict=True))
        close = all(
            np.isclose(mine.get(f, 0.0), slopes.get(f, 0.0), rtol=1e-3, atol=1e-4)
            for f in {*mine, *slopes}
        )
        numbers = ("intercept", "low", "high")
        if not close or not all(
            np.isclose(getattr(a.leaf, n), getattr(b.leaf, n), rtol=1e-3, atol=1e-4)
            for n in numbers
        ):
            return False
    return True


@pytest.mark.parametrize("penalty", ALLOWED["penalty"])
@pytest.mark.parametrize("fitting", ALLOWED["fitting"])
def test_signs_and_bounds_are_those_of_the_reference(fitting, penalty):
    same = []

    @settings(STEADY, max_examples=40)
    @given(
        problem=smooth_problems(
            max_features=3, kinds=("continuous", "missing", "ties"), weights=("none", "integers")
        ),
        options=tree_options(
            fitting=fitting,
            penalty=penalty,
            max_leaves=6,
            max_depth=None,
            min_samples_leaf=4.0,
            min_gain=0.0,
            min_hessian=1e-3,
            l2=1.0,
            l2_slopes=1.0,
        ),
        data=st.data(),
    )
    def check(problem, options, data):
        n = problem.X.shape[1]
        signs = data.draw(st.tuples(*[st.sampled_from([1, -1, 0])] * n))
        rising = data.draw(masks(n))
        rising = tuple(int(r and s >= 0) for r, s in zip(rising, signs, strict=True))
        options = Options(**{**vars(options), "monotonic_cst": signs, "nonnegative_slopes": rising})
        w = problem.weights
        g = (w * (np.average(problem.y, weights=w) - problem.y)).astype(np.float32)
        case = Case(problem, g, w.astype(np.float32), max_bins=40)
        bins, rows = case.bins(), case.counted
        core = fast.grow(problem.X, w, case.g, case.h, bins, options, max_bins=40)
        X = problem.X[rows]
        codes = np.column_stack([encode(x, b) for x, b in zip(X.T, bins, strict=True)])
        plain = grow_tree(bins, codes, case.g[rows], case.h[rows], w[rows], options)
        same.append(shape(core) == shape(plain) and same_leaves(core, plain))

    check()
    # A near tie of two splits makes another tree: of 20 examples in up to three.
    assert np.mean(same) >= 0.8, same
