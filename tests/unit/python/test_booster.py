from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest

from plboost import Booster, Dataset, MissingDependencyError, train

X = np.array([[0.1, 90.0, -5.0], [np.nan, 120.0, -5.01], [9.0, np.inf, 5.0], [-np.inf, 0.0, 0.0]])


def test_properties(booster):
    assert repr(booster) == "Booster(loss='squared_error', n_trees=6, n_features=3)"
    assert booster.feature_names == ["angle", "load", "tiny"]
    assert booster.parameters["max_leaves"] == 6
    assert booster.created_by.startswith("plboost ")


def test_features_without_names_are_numbered(problem):
    assert train({"n_estimators": 1}, Dataset(*problem)).feature_names == ["x0", "x1", "x2"]


def test_no_rounds_give_the_base_score(booster):
    np.testing.assert_array_equal(booster.predict(X, n_rounds=0), booster.base_score)


def test_stages_are_the_predictions_of_the_first_rounds_bit_for_bit(booster):
    stages = list(booster.staged_predict(X))
    assert len(stages) == booster.n_trees
    for k, stage in enumerate(stages, start=1):
        np.testing.assert_array_equal(stage, booster.predict(X, n_rounds=k))
    np.testing.assert_array_equal(stages[-1], booster.predict(X))


def test_stages_of_scores_are_independent_arrays(booster):
    first, second, *_ = booster.staged_predict(X, raw_score=True)
    assert not np.shares_memory(first, second)
    np.testing.assert_array_equal(first, booster.predict(X, n_rounds=1, raw_score=True))


def test_the_link_turns_scores_into_probabilities(problem):
    features, y = problem
    model = train({"loss": "log_loss", "n_estimators": 5}, Dataset(features, y > np.median(y)))
    scores = model.predict(features, raw_score=True)
    np.testing.assert_allclose(model.predict(features), 1 / (1 + np.exp(-scores)), rtol=1e-14)
    *_, last = model.staged_predict(features)
    np.testing.assert_array_equal(last, model.predict(features))


@pytest.mark.parametrize(
    ("n_rounds", "error", "message"),
    [
        (-1, ValueError, "n_rounds must be between 0 and 6, got -1"),
        (7, ValueError, "n_rounds must be between 0 and 6, got 7"),
        (2.0, TypeError, r"n_rounds must be None, 'all' or an integer, got 2.0 \(float\)"),
        (True, TypeError, "n_rounds must be None, 'all' or an integer, got True"),
    ],
)
def test_wrong_rounds_are_refused(booster, n_rounds, error, message):
    with pytest.raises(error, match=message):
        booster.predict(X, n_rounds=n_rounds)


def test_importances_are_sums_and_counts_over_the_splits(booster):
    gain, count = dict.fromkeys(booster.feature_names, 0.0), dict.fromkeys(booster.feature_names, 0)
    for i in range(booster.n_trees):
        for split in booster.tree(i).splits:
            gain[split.feature] += split.gain
            count[split.feature] += 1
    np.testing.assert_allclose(booster.feature_importance(), list(gain.values()), rtol=1e-12)
    np.testing.assert_array_equal(booster.feature_importance("split"), list(count.values()))


def test_an_unknown_importance_is_refused(booster):
    with pytest.raises(ValueError, match="kind must be 'gain' or 'split', got 'cover'"):
        booster.feature_importance("cover")


def test_ranges_are_those_of_the_finite_training_values(booster, problem):
    features = problem[0]
    features[::7, 0] = np.nan
    features[3, 1] = np.inf
    for column, (low, high) in enumerate(booster.feature_ranges().values()):
        finite = features[np.isfinite(features[:, column]), column]
        assert (low, high) == (finite.min(), finite.max())


def test_frame_has_a_row_for_each_node(booster):
    frame = booster.to_frame()
    nodes = [node for i in range(booster.n_trees) for node in booster.tree(i).nodes]
    assert len(frame) == len(nodes)
    for row, node in zip(frame.itertuples(), nodes, strict=True):
        assert (row.node, row.depth, row.weight) == (node.node, node.depth, node.weight)
        if row.kind == "split":
            assert (row.feature, row.threshold, row.left) == (
                node.feature,
                node.threshold,
                node.left,
            )
        else:
            assert (row.intercept, row.slopes, row.high) == (node.intercept, node.slopes, node.high)
    assert frame.loc[frame.kind == "leaf", ["feature", "threshold", "left"]].isna().all(axis=None)


def test_frame_of_trees_without_splits(problem):
    frame = train({"n_estimators": 2, "max_leaves": 1}, Dataset(*problem)).to_frame()
    assert frame["kind"].tolist() == ["leaf", "leaf"]


def test_frame_without_pandas_says_what_to_install(booster, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        MissingDependencyError, match=r"to_frame\(\) needs pandas.*plboost\[pandas\]"
    ):
        booster.to_frame()


@pytest.mark.parametrize(
    "clone",
    [
        lambda b: Booster.from_bytes(b.to_bytes()),
        lambda b: Booster.from_bytes(bytearray(b.to_bytes())),
        lambda b: pickle.loads(pickle.dumps(b)),
        lambda b: pickle.loads(pickle.dumps(b, protocol=0)),
        copy.copy,
        copy.deepcopy,
    ],
)
def test_copies_are_equal_in_every_bit(booster, clone):
    copied = clone(booster)
    assert copied is not booster
    assert copied.to_bytes() == booster.to_bytes()
    np.testing.assert_array_equal(copied.predict(X), booster.predict(X))
    assert copied.history == booster.history
    assert copied.parameters == booster.parameters
    assert copied.feature_names == booster.feature_names
    assert copied.created_by == booster.created_by


def test_the_same_training_gives_the_same_bytes(problem):
    first, second = (train({"n_estimators": 4}, Dataset(*problem)).to_bytes() for _ in range(2))
    assert first == second


def test_load_gives_back_what_save_wrote(booster, tmp_path):
    path = tmp_path / "model.plb"
    booster.save(path)
    assert path.read_bytes() == booster.to_bytes()
    assert Booster.load(str(path)).to_bytes() == booster.to_bytes()
