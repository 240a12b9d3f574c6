"""How many leaves the next tree may have: what rows say that the search has not seen."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from plboost import _core
from tests.unit.core.grown import all_bytes, options

FIRST, MOST, STEP, ENOUGH = 48.0, 90, 1.05, 0.3
MASK = 2**64 - 1


def problem(n=3000, noise=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + noise * rng.normal(size=n)
    return X, y


def data(X, y, weight=None, n_columns=1):
    return _core.Dataset(X, np.tile(y, n_columns), weight, None, max_bins=255, seed=3, n_threads=1)


def trainer(dataset, n_threads=1, **values):
    given = {"adapts_leaves": True, "max_leaves": MOST, "min_samples_leaf": 5.0, "seed": 9}
    chosen = options(**given | {"split_sample": 0.5} | values)
    return closing(_core.Trainer(dataset, chosen, [], n_threads=n_threads))


def drawn_below(state, bound):
    """Return what SplitMix64 in this state draws next."""
    x = (state + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return (((x ^ (x >> 31)) >> 32) * bound) >> 32


def confirmed_part(w, residual, outputs, unseen):
    """Return the ratio of docs/algorithm.md, section 11, for trees of constant leaves."""
    agreement = size = 0.0
    for output in np.unique(outputs):
        leaf = outputs == output
        rows = leaf & unseen
        own = residual[rows] * (residual[rows] - output)
        agreement += w[rows] @ residual[rows] * output
        agreement -= (w[rows] ** 2 @ own) / w[leaf].sum()
        size += w[rows].sum() * output**2
    return agreement / size


@pytest.mark.parametrize(
    ("slopes", "message"),
    [
        ([], "on other data or loss"),
        ([(np.nan, 1.0)], "must be finite"),
        ([(1.0, np.inf)], "must be finite"),
        ([(1.0, -1.0)], "no size negative"),
    ],
)
def test_what_a_state_says_of_slopes_is_checked(slopes, message):
    X, y = problem(300)
    with trainer(data(X, y)) as session:
        session.round(0.1)
        state = session.state()
        ((agreement, size),) = state["slopes"]
        assert 0 < agreement < 1.5 * size
        with pytest.raises(ValueError, match=message):
            session.restore(**state | {"slopes": slopes})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("n", "split_sample", "n_rounds"), [(3000, 0.5, 30), (60_000, 0.1, 6)])
def test_rows_that_the_search_has_not_seen_decide(n, split_sample, n_rounds, noise, weighted):
    X, y = problem(n, noise=noise)
    weight = np.random.default_rng(1).choice([0.5, 1.0, 2.0], size=n) if weighted else None
    dataset = data(X, y, weight)
    order = dataset.row_order()
    w = np.ones(n) if weight is None else weight[order]
    expected, sizes = FIRST, set()
    with trainer(dataset, max_regressors=0, split_sample=split_sample) as session:
        for _ in range(n_rounds):
            before, state = session.scores().copy(), session.state()
            assert state["tree_sizes"] == [pytest.approx(expected)]
            session.round(0.5)
            outputs = np.round((session.scores() - before) / 0.5, 10)
            place = (np.arange(n) - drawn_below(state["random"], n)) % n
            n_seen = min(n - n // 10, max(np.ceil(split_sample * n), 1024 * int(expected + 0.5)))
            unseen = place >= n_seen
            part = confirmed_part(w, y[order] - before, outputs, unseen)
            assert abs(part - ENOUGH) > 1e-6
            expected = expected * STEP if part > ENOUGH else expected / STEP
            expected = min(max(expected, FIRST), MOST)
            sizes.add(round(expected, 6))
    if noise < 1.0:
        assert len(sizes) > 3


def test_trees_have_as_many_leaves_as_they_may():
    X, y = problem(noise=0.0)
    with trainer(data(X, y)) as session:
        for _ in range(20):
            (size,) = session.state()["tree_sizes"]
            session.round(0.3)
            n_nodes = np.diff(session.forest().to_arrays()["tree_node_start"])[-1]
            assert (n_nodes + 1) // 2 == int(size + 0.5)
        assert session.state()["tree_sizes"][0] > 1.5 * FIRST


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_restored_training_goes_on_bit_for_bit(n_threads):
    X, y = problem(noise=0.3)
    with trainer(data(X, y)) as straight:
        for _ in range(6):
            straight.round(0.3)
        state = straight.state()
        for _ in range(6):
            straight.round(0.3)
        expected = straight.forest().to_arrays()
    assert state["tree_sizes"][0] > FIRST
    with trainer(data(X, y), n_threads=n_threads) as resumed:
        resumed.restore(**state)
        for _ in range(6):
            resumed.round(0.3)
        assert all_bytes(resumed.forest().to_arrays()) == all_bytes(expected)


def test_a_state_without_the_sizes_of_all_outputs_is_refused():
    X, y = problem(300)
    with trainer(data(X, y)) as session:
        session.round(0.1)
        state = session.state()
        with pytest.raises(ValueError, match="on other data or loss"):
            session.restore(**state | {"tree_sizes": []})
    # What is no size of this training changes nothing.
    for size, kept in ((np.nan, FIRST), (1.0, FIRST), (1e9, MOST)):
        with trainer(data(X, y)) as session:
            session.restore(**state | {"tree_sizes": [size]})
            assert session.state()["tree_sizes"] == [kept]


@pytest.mark.parametrize(
    "values", [{"subsample": 0.8}, {"loss": "absolute_error"}, {"max_leaves": 20}]
)
def test_where_nothing_can_be_learned_the_size_stays(values):
    X, y = problem(600, noise=0.0)
    with trainer(data(X, y), **values) as session:
        for _ in range(3):
            session.round(0.3)
        assert session.state()["tree_sizes"] == [min(FIRST, values.get("max_leaves", MOST))]


def test_every_output_has_a_size_of_its_own():
    X, y = problem(noise=0.0)
    noise = np.random.default_rng(5).normal(size=len(y))
    dataset = _core.Dataset(
        X, np.concatenate([y, noise]), None, None, max_bins=255, seed=3, n_threads=1
    )
    with trainer(dataset) as session:
        for _ in range(5):
            session.round(0.3)
        clean, noisy = session.state()["tree_sizes"]
    assert noisy < clean
