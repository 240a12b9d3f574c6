"""Whole forests of the core against the reference's boosting."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from plboost import _core
from tests.oracle import fast
from tests.oracle.cases import SANE_KINDS, tree_options
from tests.problems import STEADY, small_problems, smooth_problems
from tests.reference import boost
from tests.reference.binning import encode, find_bins
from tests.reference.grow import tree_output
from tests.reference.all_losses import CASES
from tests.reference.options import ALLOWED, Options
from tests.reference.verify import verify_tree
from tests.rounds import train_rounds

N_ROUNDS = 4
RATE = 0.5
# Odd rows to predict: beyond the training data, missing, infinite.
BEYOND = np.array([np.nan, np.inf, -np.inf, 1e9, -1e9, 0.0, 0.3])


def train(problem, loss, options, max_bins=255):
    data = _core.Dataset(
        problem.X, problem.y, problem.weight, max_bins=max_bins, seed=0, n_threads=1
    )
    training = fast.training_options(options)
    case = CASES[loss]
    training.loss = case.loss.name
    training.alpha = [] if case.alpha is None else [case.alpha]
    training.power = case.power
    return train_rounds(data, training, n_rounds=N_ROUNDS, learning_rate=RATE)


def with_targets(problem, loss):
    """Give the problem targets that the loss takes."""
    y = problem.y
    if loss == "gamma" or loss == "mape":
        y = np.exp(np.clip(y, -4, 4))
    elif loss.split()[0] in ("poisson", "tweedie"):
        y = np.round(2 * np.exp(np.clip(y, -4, 4))) / (1 if loss == "poisson" else 3)
        y[0] = 2.0
    return dataclasses.replace(problem, y=y)


def raw_rows(problem):
    odd = np.resize(BEYOND, (len(BEYOND), problem.X.shape[1]))
    return np.vstack([problem.X, odd, np.roll(odd, 1, axis=0)])


@pytest.mark.parametrize("loss", sorted(CASES))
@pytest.mark.parametrize("fitting", ALLOWED["fitting"])
def test_predictions_are_those_of_the_reference(fitting, loss):
    close = []

    @settings(STEADY, max_examples=12)
    @given(
        problem=smooth_problems(max_features=3, binary=loss == "log_loss"),
        options=tree_options(
            fitting=fitting,
            regressors="path",
            max_leaves=4,
            max_depth=None,
            min_samples_leaf=8.0,
            min_gain=0.0,
            min_hessian=1e-3,
            l2=1.0,
            l2_slopes=1.0,
        ),
    )
    def check(problem, options):
        problem = with_targets(problem, loss)
        forest = train(problem, loss, options)
        plain = boost.train(
            problem.X, problem.y, problem.weight, loss, N_ROUNDS, RATE, 255, options
        )
        assert_allclose(forest.base_score, plain.initial_score, rtol=1e-12, atol=1e-12)
        X = raw_rows(problem)
        scores = forest.predict(X, n_threads=1, last_tree=N_ROUNDS)
        expected = plain.predict_score(X)
        # float32 gradients and slopes of z; the reference's are float64 where the core's are not.
        close.append(np.abs(scores - expected).max() <= 1e-4 * np.abs(expected).max())

    check()
    # A near tie of two splits, rare in such problems, makes another tree and other predictions.
    assert np.mean(close) >= 0.9, close


@pytest.mark.parametrize("loss", sorted(CASES))
@pytest.mark.parametrize("fitting", ALLOWED["fitting"])
def test_every_tree_is_right_for_the_scores_before_it(fitting, loss):
    @settings(STEADY, max_examples=20)
    @given(
        problem=small_problems(
            max_rows=50, max_features=4, kinds=SANE_KINDS, binary=loss == "log_loss"
        ),
        options=tree_options(fitting=fitting, max_leaves=4, min_hessian=1e-3),
        max_bins=st.sampled_from([255, 12]),
    )
    def check(problem, options, max_bins):
        problem = with_targets(problem, loss)
        follow(problem, loss, options, train(problem, loss, options, max_bins), max_bins)

    check()


def follow(problem, loss, options: Options, forest, max_bins):
    """Verify tree after tree on the gradients that the trees before it leave."""
    functions = CASES[loss].loss
    counted = problem.weights > 0
    X, y, w = problem.X[counted], problem.y[counted], problem.weights[counted]
    bins = [find_bins(column, w, max_bins) for column in X.T]
    codes = np.column_stack([encode(x, b) for x, b in zip(X.T, bins, strict=True)])
    in_units = dataclasses.replace(options, min_gain=options.min_gain * functions.gain_unit(y, w))
    arrays = forest.to_arrays()
    scores = np.full(len(y), functions.initial_score(y, w))
    for index in range(N_ROUNDS):
        scaled = fast.to_reference(arrays, bins, np.empty(0, dtype=np.int32), tree=index)
        unit = functions.unit_at(scores, y, w)
        g, h = functions.gradients(scores, y, w, unit)
        verify_tree(
            boost.scale_tree(scaled, 1 / (RATE * unit)), bins, codes, g, h, w, in_units,
            renewal=boost.renewal_of(functions, scores, y, w), observed=functions.observed,
            # The core's own scores carry rounding of their own into g and h.
            leaf_tolerance=1e-6,
        )  # fmt: skip
        scores = scores + tree_output(scaled, bins, codes)
    if all(b.n_bins == len(np.unique(x)) for x, b in zip(X.T, bins, strict=True)):
        # Where every value is a bin, and none infinite or missing, raw values are the bin means. In
        # training these are float32: steep lines through close values show it.
        raw = forest.predict(np.ascontiguousarray(X), n_threads=1, last_tree=N_ROUNDS)
        assert_allclose(raw, scores, rtol=0, atol=1e-3 * (np.abs(scores).max() + 1e-3))
