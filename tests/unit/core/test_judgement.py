"""Rows that a tree does not know of: what they say of it, and what follows from that."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
from numpy.testing import assert_allclose

from plboost import _core
from tests.unit.core.grown import all_bytes, options

FIRST, LEAST, MOST = 48.0, 8.0, 90
RATE = 0.3


def problem(n=3000, noise=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + noise * rng.normal(size=n)
    return X, y


def data(X, y, weight=None):
    return _core.Dataset(X, y, weight, None, max_bins=255, seed=3, n_threads=1)


def chosen(**values):
    given = {"adapts_leaves": True, "max_leaves": MOST, "min_samples_leaf": 5.0, "seed": 9}
    return options(**given | {"subsample": 0.8} | values)


def trainer(dataset, n_threads=1, **values):
    return closing(_core.Trainer(dataset, chosen(**values), [], n_threads=n_threads))


def last_tree(session):
    arrays = session.forest().to_arrays()
    start, end = arrays["tree_node_start"][-2:]
    return {name: arrays[f"node_{name}"][start:end] for name in ("feature", "threshold", "left")}


def node_of_rows(tree, X):
    nodes = np.zeros(len(X), int)
    while (inner := tree["feature"][nodes] >= 0).any():
        rows = np.flatnonzero(inner)
        at = nodes[rows]
        right = X[rows, tree["feature"][at]] > tree["threshold"][at]
        nodes[rows] = tree["left"][at] + right
    return nodes


def derivatives(loss, score, y, w):
    if loss == "squared_error":
        return w * (score - y), w
    p = 1 / (1 + np.exp(-score))
    return w * (p - y), w * np.maximum(p * (1 - p), np.abs(p - y) / 8)


def judged(session, X, g, h, known, outputs):
    """Return what docs/algorithm.md, sections 11 and 12, sum up: of late splits, of the tree."""
    tree = last_tree(session)
    node = node_of_rows(tree, X)
    n_splits = len(tree["feature"]) // 2
    late = np.zeros(2)
    for k in range(n_splits // 2 + 1, n_splits + 1):
        pair = (2 * k - 1, 2 * k)
        if not all(tree["feature"][child] < 0 for child in pair):
            continue
        own = [(node == child) & known for child in pair]
        both = own[0] | own[1]
        mean = np.average(outputs[both], weights=h[both])
        for child, rows in zip(pair, own, strict=True):
            difference = np.average(outputs[rows], weights=h[rows]) - mean
            unknown = (node == child) & ~known
            late += -g[unknown].sum() * difference, h[unknown].sum() * difference**2
    f = outputs[~known]
    return late, np.array([-g[~known] @ f, h[~known] @ f**2])


@pytest.mark.parametrize(
    ("n", "n_rounds", "noise", "weighted"),
    [
        *((3000, 30, noise, weighted) for noise in (0.0, 0.3, 2.0) for weighted in (False, True)),
        (20_000, 8, 0.3, True),  # more than are summed up in one part
        (530_000, 2, 0.3, False),  # more than are fetched leaf by leaf
    ],
)
@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_sizes_and_steps_follow_from_rows_that_trees_do_not_know(
    loss, noise, weighted, n, n_rounds
):
    X, y = problem(n, noise=noise)
    if loss == "log_loss":
        y = (y > 0).astype(float)
    else:
        y /= y.std()  # the unit of the loss is 1
    weight = np.random.default_rng(1).choice([0.5, 1.0, 2.0], size=len(y)) if weighted else None
    dataset = data(X, y, weight)
    order = dataset.row_order()
    w = np.ones(len(y)) if weight is None else weight[order]
    size, splits, steps = FIRST, np.zeros(2), np.zeros(2)
    values = {"loss": loss, "shortens_steps": True}
    sizes = set()
    with trainer(dataset, **values) as session:
        for tree in range(n_rounds):
            part = 1.0
            if steps[1] > 0:
                part = min(max((steps[0] / steps[1] + 0.2) / 0.4, 0.01), 1.0)
            before = session.scores().copy()
            session.round(RATE)
            g, h = derivatives(loss, before, y[order], w)
            drawn = _core.stages.draw_rows(
                dataset, g.astype(np.float32), h.astype(np.float32), chosen(**values), tree
            )
            outputs = (session.scores() - before) / (RATE * part)
            late, whole = judged(session, X[order], g, h, drawn[0] > 0, outputs)
            splits += late
            steps = 0.9 * steps + whole
            state = session.state()
            assert_allclose(state["splits"], [splits], rtol=1e-3, atol=1e-4)
            assert_allclose(state["steps"], [steps], rtol=1e-3, atol=1e-4)
            assert abs(splits[0] / splits[1] - 0.2) > 1e-5
            size = size * 1.05 if splits[0] > 0.2 * splits[1] else size / 1.05
            size = min(max(size, LEAST), MOST)
            sizes.add(round(size, 6))
            assert state["tree_sizes"] == [pytest.approx(size)]
    assert len(sizes) > min(3, n_rounds - 1)


def additive_problem(loss):
    """Return many small effects of 0/1 columns: trees are confirmed for long."""
    rng = np.random.default_rng(7)
    X = (rng.uniform(size=(1500, 30)) < 0.2).astype(float)
    y = X @ rng.normal(size=30)
    return X, (y > np.median(y)).astype(float) if loss == "log_loss" else y / y.std()


@pytest.mark.parametrize("shorter", [False, True])
@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_steps_become_longer_where_trees_are_still_confirmed(loss, shorter):
    rate = 0.05
    X, y = additive_problem(loss)
    dataset = data(X, y)
    order = dataset.row_order()
    values = {"loss": loss, "lengthens_steps": True, "shortens_steps": shorter}
    steps, parts = np.zeros(2), []
    with trainer(dataset, **values) as session:
        for tree in range(90):
            part = 1.0
            if steps[1] > 0:
                confirmed = steps[0] / steps[1]
                if confirmed >= 0.2 and rate * tree >= 3.0:
                    part = min(1.0 + 20.0 * (confirmed - 0.2), 0.1 / rate)
                elif confirmed < 0.2 and shorter:
                    part = max((confirmed + 0.2) / 0.4, 0.01)
            parts.append(part)
            before = session.scores().copy()
            session.round(rate)
            g, h = derivatives(loss, before, y[order], np.ones(len(y)))
            drawn = _core.stages.draw_rows(
                dataset, g.astype(np.float32), h.astype(np.float32), chosen(**values), tree
            )
            outputs = (session.scores() - before) / (rate * part)
            steps = 0.9 * steps + judged(session, X[order], g, h, drawn[0] > 0, outputs)[1]
            assert_allclose(session.state()["steps"], [steps], rtol=2e-3, atol=1e-4)
    assert max(parts[:60]) == 1.0
    assert max(parts) > 1.5


@pytest.mark.parametrize(("rate", "alike"), [(0.05, False), (0.1, True), (0.3, True)])
def test_large_rates_are_not_lengthened(rate, alike):
    X, y = additive_problem("squared_error")
    scores = []
    for lengthens in (False, True):
        with trainer(data(X, y), lengthens_steps=lengthens) as session:
            for _ in range(70):
                session.round(rate)
            scores.append(session.scores().copy())
    assert (scores[0] == scores[1]).all() == alike


@pytest.mark.parametrize(
    "values",
    [
        {"loss": "log_loss"},
        {"loss": "squared_error"},
        {"loss": "squared_error", "monotonic_cst": [0, 1, 0, 0]},
    ],
)
def test_steps_of_several_outputs_are_judged_one_by_one(values):
    X, y = problem(2000, noise=0.5)
    noise = np.random.default_rng(5).normal(size=len(y))
    if values["loss"] == "log_loss":  # three classes, two of which nothing tells apart
        Y = np.where(y > 0, 0.0, 1.0 + (noise > 0))
    else:
        Y = np.concatenate([y, noise])
    dataset = _core.Dataset(X, Y, None, None, max_bins=255, seed=3, n_threads=1)
    with trainer(dataset, shortens_steps=True, **values) as session:
        for _ in range(40):
            session.round(0.1)
        state = session.state()
    parts = [agreement / size for agreement, size in state["steps"]]
    assert len(parts) == (3 if values["loss"] == "log_loss" else 2)
    assert parts[0] > max(parts[1:]) + 0.05
    assert state["tree_sizes"][0] > max(state["tree_sizes"][1:])


def test_a_model_that_is_continued_keeps_the_size_of_its_trees():
    X, y = problem(4000, noise=0.05)
    with trainer(data(X, y)) as first:
        for _ in range(60):
            first.round(0.2)
        forest, size = first.forest(), first.state()["tree_sizes"][0]
        scores = first.scores().copy()
    assert size > FIRST
    order = data(X, y).row_order()
    initial = np.empty_like(scores)
    initial[order] = scores
    dataset = _core.Dataset(X, y, None, initial, max_bins=255, seed=3, n_threads=1)
    with trainer(dataset) as continued:
        continued.extend(forest)
        assert continued.state()["tree_sizes"] == [int(size + 0.5)]
        for _ in range(5):
            continued.round(0.2)
        assert continued.state()["tree_sizes"][0] >= int(size + 0.5)


def test_trees_have_as_many_leaves_as_they_may():
    X, y = problem(noise=0.0)
    with trainer(data(X, y)) as session:
        for _ in range(20):
            (size,) = session.state()["tree_sizes"]
            session.round(RATE)
            assert (len(last_tree(session)["left"]) + 1) // 2 == int(size + 0.5)
        assert session.state()["tree_sizes"][0] > 1.5 * FIRST


def test_noise_makes_trees_small_and_steps_short():
    X, _ = problem()
    y = np.random.default_rng(4).integers(2, size=len(X)).astype(float)
    with trainer(data(X, y), loss="log_loss", shortens_steps=True) as session:
        for _ in range(60):
            session.round(0.1)
        assert session.state()["tree_sizes"] == [LEAST]
        before = session.scores().copy()
        session.round(0.1)
        moved = np.abs(session.scores() - before).max()
    with trainer(data(X, y), loss="log_loss") as session:
        before = session.scores().copy()
        session.round(0.1)
        assert moved < 0.1 * np.abs(session.scores() - before).max()


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_a_restored_training_goes_on_bit_for_bit(loss, n_threads):
    X, y = problem(noise=0.3)
    if loss == "log_loss":
        y = (y > 0).astype(float)
    values = {"loss": loss, "shortens_steps": loss == "log_loss", "lengthens_steps": True}
    with trainer(data(X, y), **values) as straight:
        for _ in range(7):
            straight.round(RATE)
        state = straight.state()
        for _ in range(6):
            straight.round(RATE)
        expected = straight.forest().to_arrays()
    assert state["tree_sizes"][0] != FIRST
    with trainer(data(X, y), n_threads=n_threads, **values) as resumed:
        resumed.restore(**state)
        for _ in range(6):
            resumed.round(RATE)
        assert all_bytes(resumed.forest().to_arrays()) == all_bytes(expected)


@pytest.mark.parametrize("name", ["slopes", "unknown_slopes", "splits", "steps"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "on other data or loss"),
        ([(np.nan, 1.0)], "must be finite"),
        ([(1.0, np.inf)], "must be finite"),
        ([(1.0, -1.0)], "no size negative"),
    ],
)
def test_what_a_state_says_is_checked(name, given, message):
    X, y = problem(300)
    with trainer(data(X, y), shortens_steps=True) as session:
        session.round(0.1)
        state = session.state()
        assert state[name][0][1] > 0
        with pytest.raises(ValueError, match=message):
            session.restore(**state | {name: given})


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
    "values",
    [
        {"subsample": 1.0},
        {"subsample_method": "goss"},
        {"loss": "absolute_error"},
        {"max_leaves": 20, "adapts_leaves": False},
    ],
)
def test_where_nothing_can_be_learned_the_size_stays(values):
    X, y = problem(600, noise=0.0)
    with trainer(data(X, y), **values) as session:
        for _ in range(3):
            session.round(RATE)
        state = session.state()
    assert state["tree_sizes"] == [min(FIRST, values.get("max_leaves", MOST))]
    assert state["splits"] == state["steps"] == [(0.0, 0.0)]


def test_every_output_has_a_size_of_its_own():
    X, y = problem(noise=0.0)
    noise = np.random.default_rng(5).normal(size=len(y))
    dataset = _core.Dataset(
        X, np.concatenate([y, noise]), None, None, max_bins=255, seed=3, n_threads=1
    )
    with trainer(dataset) as session:
        for _ in range(5):
            session.round(RATE)
        clean, noisy = session.state()["tree_sizes"]
    assert noisy < FIRST < clean


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_slopes_are_judged_by_rows_that_trees_do_not_know(loss):
    X, y = problem(noise=0.5)
    y = (y > 0).astype(float) if loss == "log_loss" else y / y.std()
    dataset = data(X, y)
    order = dataset.row_order()
    values = {"loss": loss, "slope_shrinkage": 0.0}  # all slopes are kept: outputs tell them
    expected = np.zeros(2)
    with trainer(dataset, **values) as session:
        for tree in range(5):
            before = session.scores().copy()
            session.round(RATE)
            g, h = derivatives(loss, before, y[order], np.ones(len(y)))
            known = _core.stages.draw_rows(
                dataset, g.astype(np.float32), h.astype(np.float32), chosen(**values), tree
            )[0]
            outputs = (session.scores() - before) / RATE
            node = node_of_rows(last_tree(session), X[order])
            for leaf in np.unique(node):
                own, other = (node == leaf) & (known > 0), (node == leaf) & (known == 0)
                mean = np.average(outputs[own], weights=h[own])
                part = outputs[other] - mean
                expected += -(g[other] + h[other] * mean) @ part, h[other] @ part**2
            assert_allclose(session.state()["unknown_slopes"], [expected], rtol=1e-3, atol=1e-4)


def test_slopes_that_unknown_rows_do_not_confirm_are_drawn_back():
    X, y = problem(noise=0.5)
    sizes = []
    for said in ((1.0, 1.0), (0.15, 1.0), (0.1, 1.0), (-1.0, 1.0)):
        with trainer(data(X, y), slope_shrinkage=0.1) as session:
            for _ in range(3):
                session.round(RATE)
            n_before = len(session.forest().to_arrays()["regressor_slope"])
            session.restore(**session.state() | {"unknown_slopes": [said]})
            session.round(RATE)
            slopes = session.forest().to_arrays()["regressor_slope"]
        sizes.append(np.abs(slopes[n_before:]).sum())
    assert sizes[0] == sizes[1]  # more is not asked
    assert sizes[1] > 1.05 * sizes[2] > 1.05 * sizes[3]
