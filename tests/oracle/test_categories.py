"""Trees and forests with categorical features, against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost import _core
from tests.oracle import fast
from tests.oracle.cases import Case, gradients, tree_options
from tests.oracle.test_tree import Tally
from tests.problems import STEADY, Problem, small_problems
from tests.reference import boost
from tests.reference.options import ALLOWED, Options
from tests.rounds import train_rounds

# Ill-conditioned columns of numbers are the business of test_tree.py.
KINDS = ("continuous", "ties", "few", "binary", "missing", "infinite")


def code_column(rng, n, n_categories, missing):
    """Draw codes of which some are frequent, some rare and some do not occur."""
    shares = rng.dirichlet(np.full(n_categories, 0.7))
    codes = rng.choice(n_categories, size=n, p=shares).astype(float)
    return np.where(rng.random(n) < missing, np.nan, codes)


@st.composite
def mixed_cases(draw, *, min_rows=20, max_rows=70, binary=False):
    """Columns of numbers and of categories, the target depending on both."""
    numbers = draw(
        small_problems(min_rows=min_rows, max_rows=max_rows, max_features=3, kinds=KINDS)
    )
    n = len(numbers.y)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="categories"))
    columns = [(column, 0) for column in numbers.X.T]
    y = 0.3 * numbers.y
    for _ in range(draw(st.integers(1, 2))):
        count = draw(st.sampled_from([1, 2, 3, 6, 20]))
        codes = code_column(rng, n, count, draw(st.sampled_from([0.0, 0.2])))
        effects = 2 * rng.normal(size=count + 1)
        slopes = np.append(rng.normal(size=count), 0.0)
        place = np.where(np.isnan(codes), count, codes).astype(int)
        y += effects[place] + slopes[place] * np.nan_to_num(numbers.X[:, 0], posinf=1, neginf=-1)
        columns.append((codes, count))
    order = rng.permutation(len(columns))
    X = np.column_stack([columns[i][0] for i in order])
    if binary:
        y = (y > np.median(y)).astype(float)
        y[:2] = [0.0, 1.0]
    problem = Problem(X, y, numbers.weight)
    kind = draw(st.sampled_from(["first_round", "later_round", "integers", "probabilities"]))
    g, h = gradients(kind, problem, rng)
    return Case(
        problem, g.astype(np.float32), h.astype(np.float32), 40,
        tuple(columns[i][1] for i in order),
    )  # fmt: skip


SMALL = {
    "min_samples_category": st.sampled_from([0.0, 1.0, 3.0]),
    "category_smoothing": st.sampled_from([0.0, 1.0, 10.0]),
}


@pytest.mark.parametrize("penalty", ALLOWED["penalty"])
@pytest.mark.parametrize("fitting", ALLOWED["fitting"])
def test_whole_trees(fitting, penalty):
    tally = Tally()
    by_set = []

    @settings(STEADY, max_examples=50)
    @given(
        case=mixed_cases(),
        rare=SMALL["min_samples_category"],
        smoothing=SMALL["category_smoothing"],
        data=st.data(),
        n_threads=st.integers(1, 3),
    )
    def check(case, rare, smoothing, data, n_threads):
        options = data.draw(
            tree_options(
                fitting=fitting,
                penalty=penalty,
                max_leaves=6,
                max_depth=None,
                min_samples_leaf=2.0,
                min_hessian=1e-3,
                min_gain=0.0,
                l2_slopes=1.0,
                min_samples_category=rare,
                category_smoothing=smoothing,
            )
        )
        tally.add(case.check(options, n_threads=n_threads))
        tree = fast.grow(
            case.problem.X, case.problem.weights, case.g, case.h, case.bins(), options,
            max_bins=case.max_bins, n_categories=case.n_categories,
        )  # fmt: skip
        by_set.extend(isinstance(node.threshold, frozenset) for node in tree.nodes)

    check()
    tally.check(splits=100)
    assert sum(by_set) >= 30


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_predictions_are_those_of_the_reference(loss):
    close = []

    @settings(STEADY, max_examples=20)
    @given(case=mixed_cases(min_rows=40, binary=loss == "log_loss"))
    def check(case):
        problem = case.problem
        options = Options(max_leaves=4, min_samples_leaf=5.0, min_samples_category=3.0, l2=1.0)
        data = _core.Dataset(
            problem.X, problem.y, problem.weight, max_bins=255, seed=0, n_threads=1,
            n_categories=list(case.n_categories),
        )  # fmt: skip
        training = fast.training_options(options)
        training.loss = loss
        forest = train_rounds(data, training, n_rounds=3, learning_rate=0.5)
        plain = boost.train(
            problem.X, problem.y, problem.weight, loss, 3, 0.5, 255, options, case.n_categories
        )
        # Codes that never were, and what is no code at all.
        odd = np.resize([300.0, np.nan, -1.0, 254.0, np.inf], (5, problem.X.shape[1]))
        X = np.vstack([problem.X, odd])
        expected = plain.predict_score(X)
        scores = forest.predict(X, n_threads=1, last_tree=3)
        close.append(np.abs(scores - expected).max() <= 1e-4 * np.abs(expected).max())
        alone = np.concatenate([forest.predict(row[None], n_threads=1, last_tree=3) for row in X])
        many = forest.predict(np.tile(X, (9, 1)), n_threads=1, last_tree=3)
        assert_allclose(alone, scores, rtol=0, atol=0)
        assert_allclose(many, np.tile(scores, 9), rtol=0, atol=0)

    check()
    # A near tie of two splits makes another tree.
    assert np.mean(close) >= 0.8, close
