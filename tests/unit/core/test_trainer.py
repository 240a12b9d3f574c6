"""The trainer as an object that lives from round to round."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import closing

import numpy as np
import pytest

from plboost import _core
from tests.rounds import train_rounds
from tests.unit.core.grown import all_bytes, options


def problem(n=600, seed=0, *, n_columns=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    first = np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + 0.1 * rng.normal(size=n)
    columns = [first * 10.0**k + X[:, k] for k in range(n_columns)]
    return X, np.concatenate(columns)


def data(X, y, weight=None, init_score=None):
    return _core.Dataset(X, y, weight, init_score, max_bins=255, seed=3, n_threads=1)


def chosen(**values):
    sample = {"split_sample": 0.5, "min_samples_leaf": 5.0, "max_leaves": 7, "l2": 0.1, "seed": 9}
    return options(**sample | values)


def trainer(dataset, sets=(), n_threads=1, **values):
    return closing(_core.Trainer(dataset, chosen(**values), list(sets), n_threads=n_threads))


def test_rounds_metrics_and_scores():
    X, y = problem(200)  # every value is a bin
    with trainer(data(X, y), [_core.EvaluationSet(X, y, None)]) as session:
        (before,) = session.metrics()
        assert before == pytest.approx(y.std())
        for _ in range(3):
            session.round(0.5)
        forest = session.forest()
        assert (session.n_outputs, forest.n_trees, forest.n_outputs) == (1, 3, 1)
        predicted = forest.predict(X, n_threads=1, last_tree=3)
        assert session.metrics() == pytest.approx([np.sqrt(np.mean((predicted - y) ** 2))])
        # The trainer's own rows are in an order of their own, and u is float32 there.
        np.testing.assert_allclose(np.sort(session.scores()), np.sort(predicted), atol=1e-5)


@pytest.mark.parametrize("n_columns", [1, 3])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_restored_training_goes_on_bit_for_bit(n_columns, n_threads):
    X, y = problem(n_columns=n_columns)
    sets = [_core.EvaluationSet(X, y, None)]
    with trainer(data(X, y), sets) as straight:
        for _ in range(3):
            straight.round(0.3)
        state = straight.state()
        for _ in range(4):
            straight.round(0.2)
        metrics, expected = straight.metrics(), straight.forest().to_arrays()
    stored = _core.Forest.from_arrays("squared_error", state["forest"].to_arrays())
    with trainer(data(X, y), sets, n_threads=n_threads) as resumed:
        resumed.round(0.7)  # forgotten
        resumed.restore(**{**state, "forest": stored})
        for _ in range(4):
            resumed.round(0.2)
        assert resumed.metrics() == metrics
        assert all_bytes(resumed.forest().to_arrays()) == all_bytes(expected)


def test_a_state_of_another_training_is_refused():
    X, y = problem()
    with trainer(data(X, y)) as session:
        session.round(0.1)
        state = session.state()
    for other in (data(X, y + 1), data(X[:500], y[:500]), data(X + 1, y)):
        with trainer(other) as session, pytest.raises(ValueError, match="on other data or loss"):
            session.restore(**state)
    broken = {**state, "scores": np.where(np.arange(len(y)) == 7, np.nan, state["scores"])}
    with trainer(data(X, y)) as session, pytest.raises(ValueError, match="is not finite"):
        session.restore(**broken)


@pytest.mark.parametrize("weighted", [False, True])
def test_several_outputs_are_the_models_of_the_columns(weighted):
    X, y = problem(n_columns=3)
    n = len(X)
    weight = np.random.default_rng(1).uniform(0.5, 2, size=n) if weighted else None
    forest = train_rounds(data(X, y, weight), chosen(min_gain=0.01), n_rounds=4, n_threads=2)
    assert (forest.n_outputs, forest.n_trees) == (3, 12)
    together = forest.predict(X, n_threads=1, last_tree=12)
    assert together.shape == (n, 3)
    for k in range(3):
        own = data(X, y[k * n : (k + 1) * n], weight)
        alone = train_rounds(own, chosen(min_gain=0.01), n_rounds=4)
        assert forest.base_score[k] == alone.base_score[0]
        expected = alone.predict(X, n_threads=1, last_tree=4)
        assert together[:, k].tobytes() == expected.tobytes()
        some = forest.predict(X[:9], n_threads=1, last_tree=6)[:, k]
        assert some.tobytes() == alone.predict(X[:9], n_threads=1, last_tree=2).tobytes()


def test_initial_scores_take_the_place_of_the_base_score():
    X, y = problem()
    offset = 3.0 + X[:, 3]
    sets = [_core.EvaluationSet(X, y, None, offset), _core.EvaluationSet(X, y, None)]
    with trainer(data(X, y, None, offset), sets) as session:
        session.round(0.5)
        session.round(0.5)
        forest, metrics = session.forest(), session.metrics()
    assert forest.base_score.tolist() == [0.0]
    outputs = forest.predict(X, n_threads=1, last_tree=2)
    assert metrics[0] == pytest.approx(np.sqrt(np.mean((offset + outputs - y) ** 2)))
    assert metrics[1] == pytest.approx(np.sqrt(np.mean((outputs - y) ** 2)))
    # For squared error an offset is the same as a target from which it is taken, up to the unit.
    residual = train_rounds(
        data(X, y - offset, None, np.zeros(len(y))), chosen(), n_rounds=2, learning_rate=0.5
    )
    np.testing.assert_allclose(
        outputs, residual.predict(X, n_threads=1, last_tree=2), rtol=1e-5, atol=1e-5
    )


def test_initial_scores_of_the_wrong_shape_are_refused():
    X, y = problem(20)
    with pytest.raises(ValueError, match="init_score must have one value per row of X and output"):
        data(X, y, None, np.zeros(7))
    with pytest.raises(ValueError, match=r"init_score must be finite .* got nan in row 2"):
        data(X, y, None, np.where(np.arange(20) == 2, np.nan, 0.0))
    with pytest.raises(ValueError, match=r"init_score must have 1 columns, .* got 2"):
        _core.Trainer(data(X, y, None, np.zeros(40)), chosen(), [], n_threads=1)
    wrong = [_core.EvaluationSet(X, y, None, np.zeros(40))]
    with pytest.raises(ValueError, match="init_score of an evaluation set must have 1 values"):
        _core.Trainer(data(X, y), chosen(), wrong, n_threads=1)


@pytest.mark.parametrize("rate", [-0.1, np.nan, np.inf])
def test_a_wrong_rate_is_refused_and_changes_nothing(rate):
    X, y = problem()
    with trainer(data(X, y)) as session, trainer(data(X, y)) as other:
        with pytest.raises(ValueError, match="learning_rate must be finite and at least 0"):
            session.round(rate)
        session.round(0.1)
        other.round(0.1)
        assert all_bytes(session.forest().to_arrays()) == all_bytes(other.forest().to_arrays())


def test_a_closed_trainer_says_so():
    session = _core.Trainer(data(*problem(50)), chosen(), [], n_threads=2)
    session.round(0.1)
    session.close()
    session.close()
    for call in (lambda: session.round(0.1), session.metrics, session.forest, session.state):
        with pytest.raises(RuntimeError, match="was closed"):
            call()


def test_a_trainer_keeps_what_it_reads():
    X, y = problem()
    expected = train_rounds(data(X, y), chosen(), n_rounds=3)
    session = _core.Trainer(
        data(X, y), chosen(), [_core.EvaluationSet(X.copy(), y.copy(), None)], n_threads=1
    )
    rubbish = [np.full(X.shape, np.nan) for _ in range(9)]
    for _ in range(3):
        session.round(0.1)
    assert len(rubbish) == 9
    assert np.isfinite(session.metrics()).all()
    assert all_bytes(session.forest().to_arrays()) == all_bytes(expected.to_arrays())


class StoppedError(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals are those of POSIX")
def test_a_round_that_was_stopped_leaves_the_rounds_before_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 10))
    dataset = data(X, X[:, 0] * X[:, 1] + rng.normal(size=len(X)))

    def stop(*_):
        raise StoppedError

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        with trainer(dataset, max_leaves=20_000, min_samples_leaf=1.0) as session:
            state = session.state()
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.02)
            with pytest.raises(StoppedError):
                session.round(0.1)
            for call in (lambda: session.round(0.1), session.state):
                with pytest.raises(RuntimeError, match="stopped in the middle of a round"):
                    call()
            assert session.forest().n_trees == 0
            session.restore(**state)
            assert session.state()["scores"].tobytes() == state["scores"].tobytes()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_gradients_are_given_before_every_round_of_a_custom_loss_and_of_no_other():
    X, y = problem(100)
    n = np.ones(100)
    with trainer(data(X, y)) as session, pytest.raises(ValueError, match=r"only .* custom loss"):
        session.set_gradients(n, n)
    with trainer(data(X, y), loss="custom", base_score=[0.0, 1.0]) as session:
        assert session.n_outputs == 2
        with pytest.raises(RuntimeError, match="gradients of this round were not given"):
            session.round(0.1)
        with pytest.raises(ValueError, match="must return 200 gradients and hessians, got 100"):
            session.set_gradients(n, n)
        two = np.ones(200)
        for g, h in ((two * np.nan, two), (two, two * np.inf), (two * 1e39, two)):
            with pytest.raises(ValueError, match="must be finite in float32"):
                session.set_gradients(g, h)
        with pytest.raises(ValueError, match="must not be negative, got -1"):
            session.set_gradients(two, -two)
        with pytest.raises(RuntimeError, match="gradients of this round were not given"):
            session.round(0.1)
        session.set_gradients(two, two)
        session.round(0.1)
        with pytest.raises(RuntimeError, match="gradients of this round were not given"):
            session.round(0.1)
    for wrong in ([], [np.nan]):
        with pytest.raises(ValueError, match=r"at least one output|must be finite"):
            _core.Trainer(data(X, y), chosen(loss="custom", base_score=wrong), [], n_threads=1)


def test_two_calls_at_the_same_time_are_refused():
    X, y = problem(60_000)
    session = _core.Trainer(data(X, y), chosen(max_leaves=255), [], n_threads=1)
    refused = []

    def knock():
        while not done.is_set():
            try:
                session.scores()
            except RuntimeError as error:
                refused.append(str(error))
            time.sleep(1e-4)  # leaves the other call a chance

    done = threading.Event()
    thread = threading.Thread(target=knock)
    thread.start()
    finished = 0
    while finished < 3:
        try:
            session.round(0.1)
            finished += 1
        except RuntimeError as error:
            refused.append(str(error))
    done.set()
    thread.join()
    assert refused
    assert set(refused) == {"this trainer is at work in another call."}
    assert session.forest().n_trees == 3


def test_evaluation_of_a_restored_state_is_that_of_its_forest():
    X, y = problem()
    with trainer(data(X, y)) as session:
        for _ in range(3):
            session.round(0.3)
        state = session.state()
    init_score = np.linspace(-1, 1, 100)
    sets = [_core.EvaluationSet(X[:100], y[:100], None, init_score)]
    with trainer(data(X, y), sets) as session:
        for _ in range(3):
            session.round(0.3)
        expected = session.evaluation_scores(0)
    with trainer(data(X, y), sets) as session:
        session.restore(**state)
        assert session.evaluation_scores(0).tobytes() == expected.tobytes()


def test_a_model_is_extended_on_data_made_for_it():
    X, y = problem()
    model = train_rounds(data(X, y), chosen(), n_rounds=3)
    other_X, other_y = 3 * X[:200] + 1, y[:200] ** 2  # every value is a bin
    scores = model.predict(other_X, n_threads=1, last_tree=3)
    continued = _core.Dataset(
        other_X, other_y, None, scores, max_bins=255, seed=3, n_threads=1, model=model
    )
    with trainer(continued, [_core.EvaluationSet(other_X, other_y, None)]) as session:
        session.extend(model)
        start = session.evaluation_scores(0)
        assert start.tobytes() == scores.tobytes()
        session.round(0.5)
        forest = session.forest()
        predicted = forest.predict(other_X, n_threads=1, last_tree=4)
        assert predicted.tobytes() == session.evaluation_scores(0).tobytes()
        # The trainer's scores and the model's agree, so the units of the old trees are kept.
        np.testing.assert_allclose(np.sort(session.scores()), np.sort(predicted), atol=1e-4)
        assert np.mean((predicted - other_y) ** 2) < np.mean((scores - other_y) ** 2)
    kept = forest.first(3).to_arrays()
    assert all_bytes(kept) == all_bytes(model.to_arrays())


def test_a_model_is_not_extended_on_other_data():
    X, y = problem()
    model = train_rounds(data(X, y), chosen(), n_rounds=1)
    for dataset in (data(X, y), data(X + 1, y, None, np.zeros(len(y)))):
        with trainer(dataset) as session, pytest.raises(ValueError, match="made for it"):
            session.extend(model)
    with trainer(data(X, y, None, np.zeros(len(y)))) as session:
        session.round(0.1)
        with pytest.raises(ValueError, match="from the start"):
            session.extend(model)
    with pytest.raises(ValueError, match="X has 2 features, the model to continue 4"):
        _core.Dataset(X[:, :2], y, None, max_bins=9, seed=0, n_threads=1, model=model)


def test_the_fingerprint_of_a_dataset_tells_its_content():
    X, y = problem(200)
    weight = np.linspace(1, 2, 200)
    changed = X.copy()
    changed[7, 2] += 0.5
    datasets = [
        data(X, y),
        data(changed, y),
        data(X, np.where(np.arange(200) == 5, y + 1e-9, y)),
        data(X, y, weight),
        data(X, y, None, weight),
        data(X[::-1].copy(), y[::-1].copy()),
    ]
    assert len({dataset.fingerprint() for dataset in datasets}) == len(datasets)
    assert data(X, y).fingerprint() == data(X.copy(order="F"), y).fingerprint()
