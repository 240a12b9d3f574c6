"""Constraints as users write them."""

from __future__ import annotations

import numpy as np
import pytest

from plboost import Dataset, PLBoostRegressor, train
from plboost.feature_lists import by_column
from plboost.ingest import Categories
from plboost.parameters import check_training_parameters

NAMES = ["a", "b", "c"]


def columns(**params):
    return by_column(check_training_parameters(params), NAMES, 3, Categories())


def data(seed=0, n=400):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.1 * rng.normal(size=n)
    return X, y


def booster(params, seed=0, names=NAMES):
    X, y = data(seed)
    return train(
        {"n_estimators": 10, "max_leaves": 8, **params},
        Dataset(X, y, feature_names=names, random_state=0),
        n_jobs=1,
    )


def trees(model):
    return [model.tree(index) for index in range(model.n_trees)]


def paths(model):
    """Yield for every leaf the features of the cuts above it and of its line."""
    for tree in trees(model):
        above = {0: frozenset()}
        for split in tree.splits:
            for child in (split.left, split.right):
                above[child] = above[split.node] | {split.feature}
        for leaf in tree.leaves:
            yield above[leaf.node], frozenset(leaf.slopes)


@pytest.mark.parametrize(
    ("params", "name", "expected"),
    [
        ({"monotonic_cst": [1, 0, -1]}, "monotonic_cst", [1, 0, -1]),
        ({"monotonic_cst": np.array([1.0, 0.0, -1.0])}, "monotonic_cst", [1, 0, -1]),
        ({"monotonic_cst": {"c": -1}}, "monotonic_cst", [0, 0, -1]),
        ({"monotonic_cst": None}, "monotonic_cst", []),
        ({"interaction_cst": "no_interactions"}, "interaction_cst", [[0], [1], [2]]),
        ({"interaction_cst": "pairwise"}, "interaction_cst", [[0, 1], [0, 2], [1, 2]]),
        ({"interaction_cst": [{0, "b"}]}, "interaction_cst", [[0, 1], [2]]),
        ({"interaction_cst": [("a",), ("b", "c")]}, "interaction_cst", [[0], [1, 2]]),
        ({"split_features": ["a", 2]}, "split_features", [1, 0, 1]),
        ({"regressor_features": [True, False, True]}, "regressor_features", [1, 0, 1]),
        ({"regressor_features": []}, "regressor_features", [0, 0, 0]),
        ({"nonnegative_slopes": True}, "nonnegative_slopes", [1, 1, 1]),
        ({"nonnegative_slopes": np.array([1])}, "nonnegative_slopes", [0, 1, 0]),
    ],
)
def test_forms(params, name, expected):
    assert columns(**params)[name] == expected


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"monotonic_cst": [1, 2, 0]}, ValueError, ["monotonic_cst", "-1, 0 or 1", "[1, 2, 0]"]),
        ({"monotonic_cst": [1, 0]}, ValueError, ["monotonic_cst", "3 features", "got 2"]),
        ({"monotonic_cst": {"z": 1}}, ValueError, ["monotonic_cst", "'z'", "'a'"]),
        ({"monotonic_cst": {0: 1}}, ValueError, ["monotonic_cst"]),
        ({"monotonic_cst": 1}, TypeError, ["monotonic_cst", "int"]),
        ({"interaction_cst": "all"}, ValueError, ["interaction_cst", "pairwise", "'all'"]),
        ({"interaction_cst": [1, 2]}, ValueError, ["interaction_cst"]),
        ({"interaction_cst": [{7}]}, ValueError, ["interaction_cst", "7", "3 features"]),
        ({"interaction_cst": 3}, TypeError, ["interaction_cst", "int"]),
        ({"split_features": ["z"]}, ValueError, ["split_features", "'z'"]),
        ({"split_features": [-1]}, ValueError, ["split_features", "-1"]),
        ({"split_features": [True, False]}, ValueError, ["split_features", "3 features"]),
        ({"split_features": [0.5]}, ValueError, ["split_features", "0.5"]),
        ({"regressor_features": "a"}, TypeError, ["regressor_features", "str"]),
        (
            {"monotonic_cst": [-1, 0, 0], "nonnegative_slopes": ["a"]},
            ValueError,
            ["monotonic_cst", "nonnegative_slopes", "'a'"],
        ),
        (
            {"interaction_cst": "pairwise", "regressors": "all", "fitting": "fully_corrective"},
            ValueError,
            ["interaction_cst", "regressors='all'"],
        ),
        (
            {"split_features": ["a"], "regressor_features": ["b", "c"], "max_regressors": 1},
            ValueError,
            ["max_regressors", "regressor_features", "split_features"],
        ),
        (
            {"split_features": ["a"], "regressor_features": ["b"], "refit_leaves": False},
            ValueError,
            ["refit_leaves", "regressor_features"],
        ),
        (
            {"split_features": ["a"], "regressor_features": ["b"], "interaction_cst": "pairwise"},
            ValueError,
            ["interaction_cst", "regressor_features"],
        ),
        ({"subsample": 0}, ValueError, ["subsample", "0"]),
        ({"colsample_bynode": 1.5}, ValueError, ["colsample_bynode", "1.5"]),
        ({"subsample_method": "goss"}, ValueError, ["goss", "subsample"]),
        ({"top_rate": 0.2}, ValueError, ["top_rate", "goss"]),
        (
            {"subsample": 0.3, "subsample_method": "goss", "top_rate": 0.3},
            ValueError,
            ["top_rate", "subsample=0.3"],
        ),
        ({"feature_fraction": 0.5}, ValueError, ["colsample_bytree"]),
        ({"monotone_constraints": [1]}, ValueError, ["monotonic_cst"]),
    ],
)
def test_bad_input(params, error, words):
    with pytest.raises(error) as caught:
        columns(**params)
    for word in words:
        assert word in str(caught.value)


def test_groups_hold_for_cuts_and_lines():
    model = booster({"interaction_cst": [{"a", "c"}, {"b"}]})
    used = list(paths(model))
    assert {frozenset("ac"), frozenset("b")} & {path for path, _ in used}
    for path, lines in used:
        assert path | lines <= {"a", "c"} or path | lines <= {"b"}


def test_no_interactions_give_an_additive_model():
    model = booster({"interaction_cst": "no_interactions"})
    rng = np.random.default_rng(1)
    one, other = rng.uniform(-1, 1, size=(2, 50, 3))
    mixed = one.copy()
    mixed[:, 0] = other[:, 0]
    back = other.copy()
    back[:, 0] = one[:, 0]
    total = model.predict(one) + model.predict(other)
    np.testing.assert_allclose(model.predict(mixed) + model.predict(back), total, atol=1e-9)


def test_cuts_and_lines_are_those_allowed():
    model = booster({"split_features": ["a", "b"], "regressor_features": ["b"]})
    for path, lines in paths(model):
        assert path <= {"a", "b"}
        assert lines <= {"b"}


def test_a_feature_that_may_not_be_cut_is_a_line_of_every_leaf():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = 2 * X[:, 1] + np.sign(X[:, 0])
    model = train(
        {"n_estimators": 1, "learning_rate": 1.0, "l2": 0.0, "max_leaves": 2,
         "split_features": [0], "regressor_features": [1], "slope_shrinkage": 0.0},
        Dataset(X, y, random_state=0),
    )  # fmt: skip
    tree = model.tree(0)
    assert [split.feature for split in tree.splits] == ["x0"]
    for leaf in tree.leaves:
        assert leaf.slopes == pytest.approx({"x1": 2.0}, rel=0.05)


def test_nonnegative_slopes():
    free = booster({})
    held = booster({"nonnegative_slopes": ["a", "b"]})

    def lowest(model):
        return {
            name: min(leaf.slopes.get(name, 0.0) for tree in trees(model) for leaf in tree.leaves)
            for name in NAMES
        }

    assert lowest(free)["a"] < 0
    assert lowest(free)["b"] < 0
    assert lowest(held)["a"] >= 0
    assert lowest(held)["b"] >= 0
    assert lowest(held)["c"] < 0


@pytest.mark.parametrize("fitting", ["half_additive", "additive", "fully_corrective"])
@pytest.mark.parametrize(
    "params",
    [
        {"monotonic_cst": [1, 0, -1]},
        {"interaction_cst": "pairwise"},
        {"subsample": 0.6},
        {"subsample": 0.4, "subsample_method": "goss"},
        {"colsample_bytree": 0.7, "colsample_bylevel": 0.7, "colsample_bynode": 0.7},
        {"split_features": [0, 1], "regressor_features": [0, 2]},
    ],
    ids=lambda params: next(iter(params)),
)
def test_the_model_does_not_depend_on_threads(params, fitting):
    X, y = data(n=3000)
    X[::7, 1] = np.nan
    weight = np.random.default_rng(0).integers(1, 4, size=len(y)).astype(float)
    models = [
        train(
            {"n_estimators": 4, "fitting": fitting, **params},
            Dataset(X, y, sample_weight=weight, random_state=3),
            n_jobs=n_jobs,
        ).to_bytes()
        for n_jobs in (1, 3)
    ]
    assert models[0] == models[1]


@pytest.mark.parametrize("method", ["uniform", "goss"])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "log_loss"])
def test_a_leaf_knows_the_drawn_rows_alone(loss, method):
    """Targets of rows that were not drawn for the only tree change nothing but its start."""
    X, y = data()
    y = (y > 0).astype(float) if loss == "log_loss" else y
    params = {"n_estimators": 1, "max_leaves": 4, "loss": loss, "subsample": 0.5}
    trees_of = []
    for target in (y, np.roll(y, 1)):
        # goss looks at the gradients of all rows; uniform draws do not.
        model = train({**params, "subsample_method": method}, Dataset(X, target, random_state=0))
        trees_of.append(model.tree(0))
    weights = [sum(leaf.weight for leaf in tree.leaves) for tree in trees_of]
    expected = 400 if method == "goss" else 200
    assert weights == pytest.approx([expected, expected])


def test_monotone_features_need_two_classes():
    X, y = data()
    with pytest.raises(ValueError, match=r"monotonic_cst.*two classes, got 3"):
        train(
            {"loss": "log_loss", "monotonic_cst": [1, 0, 0]},
            Dataset(X, np.digitize(y, [-0.5, 0.5]).astype(float), random_state=0),
        )


def test_saved_models_keep_the_constraints_for_the_record():
    model = booster({"monotonic_cst": {"a": 1}, "interaction_cst": [{"a", "b"}]})
    again = type(model).from_bytes(model.to_bytes())
    assert again.parameters["monotonic_cst"] == {"a": 1}
    assert again.parameters["interaction_cst"] == [["a", "b"]]


def test_estimators_take_names_of_frames():
    pd = pytest.importorskip("pandas")
    X, y = data()
    frame = pd.DataFrame(X, columns=NAMES)
    model = PLBoostRegressor(monotonic_cst={"c": 1}, n_estimators=5, random_state=0).fit(frame, y)
    by_index = PLBoostRegressor(monotonic_cst=[0, 0, 1], n_estimators=5, random_state=0)
    np.testing.assert_array_equal(model.predict(frame), by_index.fit(X, y).predict(X))
