from __future__ import annotations

import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import log_loss, root_mean_squared_error

from plboost import _core
from tests.rounds import train_rounds
from tests.unit.core.grown import options


def make_data(n=400, n_features=4, seed=0, *, binary=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + 0.1 * rng.normal(size=n)
    return X, (y > 0).astype(float) if binary else y


def core_dataset(X, y, weight=None, n_threads=1):
    return _core.Dataset(X, y, weight, max_bins=255, seed=0, n_threads=n_threads)


def train(data, sets=(), *, n_rounds=6, learning_rate=0.1, on_round=None, n_threads=1, **values):
    chosen = options(**{"max_leaves": 6, "min_samples_leaf": 5.0, "l2": 0.1} | values)
    return train_rounds(
        data,
        chosen,
        sets,
        n_rounds=n_rounds,
        learning_rate=learning_rate,
        n_threads=n_threads,
        on_round=on_round,
    )


def forest_bytes(forest):
    return {name: array.tobytes() for name, array in forest.to_arrays().items()}


@pytest.mark.parametrize("loss", ["squared_error", "log_loss"])
def test_history_is_the_metric_after_every_round(loss):
    X, y = make_data(binary=loss == "log_loss")
    weight = np.random.default_rng(1).uniform(size=100)
    sets = [_core.EvaluationSet(X[300:], y[300:], weight), _core.EvaluationSet(X[:9], y[:9], None)]
    seen = []
    data = core_dataset(X[:300], y[:300])
    forest = train(data, sets, on_round=lambda *args: seen.append(args), loss=loss)
    assert [round_index for round_index, _ in seen] == list(range(6))
    for round_index, values in seen:
        for value, part, w in zip(values, (slice(300, 400), slice(9)), (weight, None), strict=True):
            scores = forest.predict(X[part], n_threads=1, last_tree=round_index + 1)
            if loss == "log_loss":
                p = _core.apply_link(loss, scores)
                expected = log_loss(y[part], p, sample_weight=w, labels=[0, 1])
            else:
                expected = root_mean_squared_error(y[part], scores, sample_weight=w)
            assert value == pytest.approx(expected, rel=1e-9)


def test_the_first_round_by_hand():
    # Mean 2, unit 2, two leaves of g = 1, -1 in units: with l2 = 0 and rate 1/2 half way to y.
    X, y = np.array([[0.0], [0], [1], [1]]), np.array([0.0, 0, 4, 4])
    data = core_dataset(X, y)
    forest = train(
        data, n_rounds=2, learning_rate=0.5, max_regressors=0, min_samples_leaf=1.0, l2=0.0
    )
    assert forest.base_score.tolist() == [2.0]
    assert forest.predict(X, n_threads=1, last_tree=1).tolist() == [1, 1, 3, 3]
    assert forest.predict(X, n_threads=1, last_tree=2).tolist() == [0.5, 0.5, 3.5, 3.5]
    assert forest.to_arrays()["leaf_low"].tolist() == [-1.0, 1.0, -0.5, 0.5]


def test_training_scores_are_predictions():
    # The residuals that round k sees are those of the first k trees: a forest trained further
    # begins with the same trees.
    X, y = make_data()
    short, long = (train(core_dataset(X, y), n_rounds=n).to_arrays() for n in (4, 9))
    for name in ("node_threshold", "leaf_intercept", "regressor_slope"):
        assert long[name][: len(short[name])].tobytes() == short[name].tobytes()


def test_no_rounds():
    X, y = make_data()
    forest = train(core_dataset(X, y), n_rounds=0)
    assert forest.n_trees == 0
    assert_allclose(forest.predict(X, n_threads=1, last_tree=0), y.mean())


def test_a_round_without_a_split_is_a_leaf():
    X, y = make_data(30)
    forest = train(core_dataset(X, y), min_samples_leaf=16.0, n_rounds=3)
    assert forest.to_arrays()["node_feature"].tolist() == [-1, -1, -1]


@pytest.mark.parametrize("stop", [0, 1, 3])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_exception_in_on_round_stops_and_comes_out(stop, n_threads):
    class StopTrainingError(Exception):
        pass

    seen = []

    def on_round(round_index, values):
        seen.append(round_index)
        assert values == []
        if round_index == stop:
            raise StopTrainingError(f"round {round_index}")

    data = core_dataset(*make_data())
    with pytest.raises(StopTrainingError, match=f"round {stop}"):
        train(data, on_round=on_round, n_threads=n_threads)
    assert seen == list(range(stop + 1))
    # Nothing of the stopped training is left in the data set.
    assert forest_bytes(train(data)) == forest_bytes(train(core_dataset(*make_data())))


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_on_round_may_raise_what_is_not_an_exception(error):
    def on_round(round_index, values):
        raise error

    with pytest.raises(error):
        train(core_dataset(*make_data()), on_round=on_round)


def test_on_round_may_train_another_model():
    data = core_dataset(*make_data())
    inner = []
    outer = train(
        data, on_round=lambda *_: inner.append(train(data, n_rounds=1, n_threads=2)), n_threads=2
    )
    alone = forest_bytes(train(data, n_rounds=1))
    assert [forest_bytes(forest) for forest in inner] == [alone] * 6
    assert forest_bytes(outer) == forest_bytes(train(data))


def test_two_threads_train_at_the_same_time_to_the_same_bits():
    shared = core_dataset(*make_data(3000))
    other = core_dataset(*make_data(3000, seed=1, binary=True))
    jobs = [
        (shared, {"n_rounds": 20}),
        (shared, {"n_rounds": 20, "fitting": "additive", "max_leaves": 9}),
        (other, {"n_rounds": 20, "loss": "log_loss"}),
        (other, {"n_rounds": 8, "loss": "log_loss", "fitting": "fully_corrective"}),
    ]
    alone = [forest_bytes(train(data, **values)) for data, values in jobs]
    together: list[object] = [None] * len(jobs)
    start = threading.Barrier(len(jobs))

    def work(job):
        data, values = jobs[job]
        start.wait()
        together[job] = forest_bytes(train(data, n_threads=2, **values))

    threads = [threading.Thread(target=work, args=(job,)) for job in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


@pytest.mark.parametrize("call", ["Dataset", "train", "predict"])
def test_python_runs_on_during_a_long_call(call):
    X, y = make_data(120_000, 8)
    data = core_dataset(X, y)
    forest = train(core_dataset(X[:500], y[:500]), n_rounds=60, max_leaves=31)
    calls = {
        "Dataset": lambda: core_dataset(X, y),
        "train": lambda: train(data, n_rounds=5, max_leaves=31),
        "predict": lambda: forest.predict(X, n_threads=1, last_tree=forest.n_trees),
    }
    inside, begun, done = threading.Event(), threading.Event(), threading.Event()
    ticks = 0

    def count():
        nonlocal ticks
        begun.set()
        inside.wait()
        pause = threading.Event()
        while not done.is_set():
            # Waiting and taking the lock again is what a starved thread could not do.
            pause.wait(0.0005)
            ticks += 1

    counter = threading.Thread(target=count)
    counter.start()
    begun.wait()
    inside.set()
    calls[call]()
    # Read before any Python code could let the counter go on.
    during = ticks
    done.set()
    counter.join()
    # A call that held the lock would let it tick at most once or twice around itself.
    assert during > 10


def test_evaluation_sets_are_checked():
    X, y = make_data()
    data = core_dataset(X, y)
    with pytest.raises(ValueError, match="3 features, the training data 4"):
        train(data, [_core.EvaluationSet(np.ascontiguousarray(X[:, :3]), y, None)])
    with pytest.raises(ValueError, match="one target and one weight for each of its 400"):
        train(data, [_core.EvaluationSet(X, y[:5], None)])
    for weight in (np.ones(5), np.ones(0)):
        message = f"sample_weight must have one value per row of X: got {len(weight)} values"
        with pytest.raises(ValueError, match=message):
            train(data, [_core.EvaluationSet(X, y, weight)])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("loss", "l1"),
        ("learning_rate", -0.1),
        ("learning_rate", np.nan),
        ("max_leaves", 0),
        ("max_depth", -1),
        ("min_samples_leaf", -1.0),
        ("min_hessian", np.nan),
        ("min_gain", -1e-9),
        ("l2", -1.0),
        ("l2", np.inf),
        ("l2_slopes", -1.0),
        ("max_regressors", -1),
        ("fitting", "greedy"),
        ("regressors", "none"),
        ("repeated", "never"),
        ("penalty", "lasso"),
        ("extrapolation", "wild"),
    ],
)
def test_wrong_options_are_named(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        train(core_dataset(*make_data(20)), **{name: value})


def test_all_regressors_need_full_correction():
    with pytest.raises(ValueError, match="regressors='all' needs fitting='fully_corrective'"):
        train(core_dataset(*make_data(20)), regressors="all")


@pytest.mark.parametrize(
    ("X", "y", "weight", "message"),
    [
        (np.zeros((0, 2)), [], None, "at least one row and one feature"),
        (np.zeros((2, 0)), [0, 1], None, "at least one row and one feature"),
        (np.zeros((2, 1)), [0, 1, 2], None, "y must have one value per row of X"),
        (np.zeros((2, 1)), [0, np.nan], None, "y must be finite and within .*, got nan in row 1"),
        (np.zeros((2, 1)), [np.inf, 0], None, "y must be finite and within .*, got inf in row 0"),
        (np.zeros((2, 1)), [0, -2e150], None, r"y must be finite and within \+-1e150, got -2"),
        (np.zeros((2, 1)), [0, 1], [1, 2e30], "sample_weight must sum to at most 1e30"),
        (np.zeros((2, 1)), [0, 1], [1e308, 1e308], "sample_weight must sum to at most 1e30"),
        (np.zeros((2, 1)), [0, 1], [1, 2, 3], "sample_weight must have one value per row"),
        (np.zeros((2, 1)), [0, 1], [1, -1], "sample_weight must be finite and not negative"),
        (np.zeros((2, 1)), [0, 1], [1, np.nan], "sample_weight must be finite and not negative"),
        (np.zeros((2, 1)), [0, 1], [0, 0], "must have a positive value, got zeros only"),
        (np.zeros((2, 1), dtype=int), [0, 1], None, "X must be float32 or float64"),
    ],
)
def test_wrong_data_are_named(X, y, weight, message):
    weight = None if weight is None else np.array(weight, dtype=float)
    with pytest.raises(ValueError, match=message):
        core_dataset(X, np.array(y, dtype=float), weight)


def test_an_empty_weight_is_not_no_weight():
    with pytest.raises(ValueError, match="sample_weight must have one value per row"):
        core_dataset(np.zeros((2, 1)), np.zeros(2), np.zeros(0))
