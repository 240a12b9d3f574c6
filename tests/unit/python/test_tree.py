from __future__ import annotations

import json
import math

import numpy as np
import pytest

from plboost import Booster, Dataset, _core, train
from plboost.tree import Leaf, Split, Tree


def arrays_of_two_trees() -> dict[str, np.ndarray]:
    """Two trees by hand: one split on missing over one on values, and a single constant leaf."""
    inf = math.inf
    return {
        "base_score": np.array([10.0]),
        "feature_mean": np.array([100.0, 1.0]),
        "feature_scale": np.array([10.0, 0.5]),
        "feature_min": np.array([80.0, 0.0]),
        "feature_max": np.array([120.0, 2.0]),
        "tree_node_start": np.array([0, 5, 6]),
        "node_feature": np.array([0, 1, -1, -1, -1, -1], dtype=np.int32),
        "node_threshold": np.array([inf, 1.5, 0, 0, 0, 0]),
        "node_missing_left": np.array([0, 1, 0, 0, 0, 0], dtype=np.uint8),
        "node_left": np.array([1, 3, 0, 0, 0, 0], dtype=np.int32),
        "node_gain": np.array([5.0, 2.0, 0, 0, 0, 0]),
        "node_weight": np.array([30.0, 25.0, 5.0, 15.0, 10.0, 30.0]),
        "leaf_intercept": np.array([0.5, 1.0, -2.0, 0.25]),
        "leaf_low": np.array([0.5, -inf, -2.5, 0.25]),
        "leaf_high": np.array([0.5, inf, -1.5, 0.25]),
        "leaf_regressor_start": np.array([0, 0, 2, 3, 3]),
        "regressor_feature": np.array([1, 0, 0], dtype=np.int32),
        "regressor_slope": np.array([0.5, -1.0, 2.0]),
        "node_category_set": np.zeros(0, dtype=np.int32),
        "category_set": np.zeros(0, dtype=np.uint8),
        "feature_clips": np.zeros(2, dtype=np.uint8),
    }


@pytest.fixture
def by_hand() -> Booster:
    forest = _core.Forest.from_arrays("squared_error", arrays_of_two_trees())
    return Booster(forest, feature_names=["mass", "angle"])


def output(tree: Tree, row: dict[str, float], means: dict[str, float]) -> float:
    """Evaluate a readable tree from nothing but what it shows."""
    node = tree.nodes[0]
    while isinstance(node, Split):
        value = row[node.feature]
        left = node.missing == "left" if math.isnan(value) else value <= node.threshold
        node = tree.nodes[node.left if left else node.right]
    total = node.intercept
    for name, slope in node.slopes.items():
        total += slope * (means[name] if math.isnan(row[name]) else row[name])
    return min(max(total, node.low), node.high)


def test_units_are_those_of_the_user(by_hand):
    tree = by_hand.tree(0)
    assert tree.nodes[0] == Split(0, 0, "mass", math.inf, "right", 5.0, 30.0, 1, 2)
    assert tree.nodes[1] == Split(1, 1, "angle", 1.5, "left", 2.0, 25.0, 3, 4)
    assert tree.nodes[2] == Leaf(2, 1, 0, 5.0, 0.5, {}, 0.5, 0.5)
    # 1 + 0.5 (angle - 1) / 0.5 - (mass - 100) / 10
    assert tree.nodes[3] == Leaf(
        3, 2, 1, 15.0, 10.0, {"angle": 1.0, "mass": -0.1}, -math.inf, math.inf
    )
    assert tree.nodes[4] == Leaf(4, 2, 2, 10.0, -22.0, {"mass": 0.2}, -2.5, -1.5)
    assert by_hand.tree(1).nodes == (Leaf(0, 0, 0, 30.0, 0.25, {}, 0.25, 0.25),)
    assert (tree.depth, by_hand.tree(1).depth) == (2, 0)


def test_text_shows_the_whole_tree(by_hand):
    assert str(by_hand.tree(0)).splitlines() == [
        "tree 0",
        "mass is not missing, gain 5, weight 30",
        "├─ angle <= 1.5 (missing: left), gain 2, weight 25",
        "│  ├─ leaf 1: 10 + 1 * angle - 0.1 * mass, weight 15",
        "│  └─ leaf 2: -22 + 0.2 * mass, within [-2.5, -1.5], weight 10",
        "└─ leaf 0: 0.5, weight 5",
    ]
    assert repr(by_hand.tree(0)) == "Tree(index=0, n_leaves=3, depth=2)"


def test_path_to_a_leaf(by_hand):
    tree = by_hand.tree(0)
    sides = {
        leaf: [(split.feature, side) for split, side in tree.path_to(leaf)] for leaf in range(3)
    }
    assert sides == {
        0: [("mass", "right")],
        1: [("mass", "left"), ("angle", "left")],
        2: [("mass", "left"), ("angle", "right")],
    }


def test_negative_numbers_count_from_the_end(by_hand):
    assert by_hand.tree(-1) == by_hand.tree(1)


@pytest.mark.parametrize("index", [2, -3])
def test_a_tree_that_is_not_there(by_hand, index):
    with pytest.raises(IndexError, match=f"between -2 and 1, got {index}: the model has 2 trees"):
        by_hand.tree(index)


def test_dump_is_strict_json_with_none_for_infinity(by_hand):
    dump = json.loads(json.dumps(by_hand.dump(), allow_nan=False))
    assert dump["base_score"] == 10.0
    assert dump["feature_names"] == ["mass", "angle"]
    nodes = dump["trees"][0]["nodes"]
    assert nodes[0]["threshold"] is None
    assert (nodes[3]["low"], nodes[3]["high"]) == (None, None)
    assert nodes[3]["slopes"] == {"angle": 1.0, "mass": -0.1}
    assert [node["kind"] for node in nodes] == ["split", "split", "leaf", "leaf", "leaf"]


@pytest.mark.parametrize("extrapolation", ["clamp", "linear"])
def test_readable_trees_add_up_to_the_predictions(problem, extrapolation):
    X, y = problem
    X[::5, 0] = np.nan
    names = ["a", "b", "c"]
    booster = train(
        {"n_estimators": 4, "max_leaves": 7, "extrapolation": extrapolation},
        Dataset(X, y, feature_names=names),
    )
    means = dict(zip(names, booster._arrays["feature_mean"], strict=True))
    rows = np.vstack([X[:60], X[:20] * 1.5])
    seen = rows
    if extrapolation == "clamp":
        seen = np.clip(rows, *np.transpose(list(booster.feature_ranges().values())))
    expected = [
        booster.base_score
        + sum(
            output(booster.tree(i), dict(zip(names, row, strict=True)), means)
            for i in range(booster.n_trees)
        )
        for row in seen
    ]
    # Slopes in the user's units go through one more division and a large intercept.
    np.testing.assert_allclose(booster.predict(rows), expected, rtol=1e-9)


def test_a_tree_as_deep_as_it_has_leaves_can_be_shown():
    n_leaves = 3000
    n_nodes = 2 * n_leaves - 1
    inner = np.arange(n_nodes) % 2 == 0
    inner[-1] = False
    number = np.arange(n_nodes)
    zeros = np.zeros(n_nodes)
    forest = _core.Forest.from_arrays(
        "squared_error",
        {
            **arrays_of_two_trees(),
            "tree_node_start": np.array([0, n_nodes]),
            "node_feature": np.where(inner, 0, -1).astype(np.int32),
            "node_threshold": np.where(inner, number, 0.0),
            "node_missing_left": np.zeros(n_nodes, dtype=np.uint8),
            "node_left": np.where(inner, number + 1, 0).astype(np.int32),
            "node_gain": zeros,
            "node_weight": zeros,
            "leaf_intercept": np.zeros(n_leaves),
            "leaf_low": np.zeros(n_leaves),
            "leaf_high": np.zeros(n_leaves),
            "leaf_regressor_start": np.zeros(n_leaves + 1, dtype=np.int64),
            "regressor_feature": np.zeros(0, dtype=np.int32),
            "regressor_slope": np.zeros(0),
        },
    )
    tree = Booster(forest).tree(0)
    assert tree.depth == n_leaves - 1
    assert len(str(tree).splitlines()) == n_nodes + 1
