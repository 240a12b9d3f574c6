"""Categories from what users have to codes, and to a model file and back."""

from __future__ import annotations

import doctest
import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from plboost import (
    Booster,
    Dataset,
    ModelFileError,
    PLBoostClassifier,
    PLBoostRegressor,
    train,
)
from plboost.ingest import Categories, categorical_columns, learn_categories
from tests.unit.python.forgery import assembled, parts

COLOURS = np.array(["red", "blue", "green", "grey", "rare"])


def problem(n=600, seed=0):
    rng = np.random.default_rng(seed)
    place = rng.choice(5, size=n, p=[0.3, 0.3, 0.2, 0.195, 0.005])
    x = rng.normal(size=n)
    y = np.array([3.0, -1.0, 0.5, -2.0, 9.0])[place] + x * (1 + place % 2)
    return COLOURS[place], x, y


def frame(colours, x):
    return pd.DataFrame({"colour": pd.Categorical(colours), "x": x})


def fit_regressor(X, y, **params):
    return PLBoostRegressor(**params).fit(X, y)


def model(**params):
    colours, x, y = problem()
    params = {"n_estimators": 5, "random_state": 0} | params
    return PLBoostRegressor(**params).fit(frame(colours, x), y)


@pytest.mark.parametrize(
    ("values", "known", "codes"),
    [
        (["b", "a", "b"], ("b", "a"), [0, 1, 0]),
        ([3, 1, 3], (3, 1), [0, 1, 0]),
        ([True, False, True], (True, False), [0, 1, 0]),
        (["a", None, "a"], ("a",), [0, np.nan, 0]),
        ([2.0, float("nan"), 2.0], (2,), [0, np.nan, 0]),
        (["x", 1, 1], (1, "x"), [1, 0, 0]),
    ],
)
def test_heaviest_first_then_first_seen(values, known, codes):
    X = np.array(values, dtype=object)[:, None]
    learned = learn_categories(X, [0], None, 255)
    assert learned.values == {0: known}
    assert [type(value) for value in learned.values[0]] == [type(value) for value in known]
    np.testing.assert_array_equal(learned.matrix(X)[:, 0], codes)


def test_weights_decide_which_categories_are_kept():
    X = [["a"], ["b"], ["c"], ["a"], ["d"]]
    weights = np.array([1.0, 5.0, 3.0, 1.0, 0.0])
    learned = learn_categories(X, [0], weights, 2)
    assert learned.values == {0: ("b", "c")}
    assert learn_categories(X, [0], weights, 9).values == {0: ("b", "c", "a")}
    np.testing.assert_array_equal(learned.matrix(X)[:, 0], [np.nan, 0, 1, np.nan, np.nan])


SAME = [
    pd.Series(["u", "v", None, "u"], dtype="category"),
    pd.Series(["u", "v", None, "u"], dtype=object),
    pd.Series(["u", "v", None, "u"], dtype="string"),
    pd.Series(pd.Categorical(["u", "v", None, "u"], categories=["w", "v", "u"])),
    pl.Series(["u", "v", None, "u"]),
    pl.Series(["u", "v", None, "u"], dtype=pl.Categorical),
    pl.Series(["u", "v", None, "u"], dtype=pl.Enum(["w", "v", "u"])),
]


@pytest.mark.parametrize("column", SAME, ids=lambda column: str(column.dtype))
def test_every_kind_of_column(column):
    library = pd.DataFrame if isinstance(column, pd.Series) else pl.DataFrame
    table = library({"n": [0.5, 1.5, 2.5, 3.5], "c": column})
    learned = learn_categories(table, [1], None, 255)
    assert learned.values == {1: ("u", "v")}
    expected = np.array([[0.5, 0], [1.5, 1], [2.5, np.nan], [3.5, 0]])
    np.testing.assert_array_equal(learned.matrix(table), expected)
    assert table.columns[1] == "c"
    assert next(iter(table["c"])) == "u"


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_numeric_arrays(dtype):
    X = np.array([[7, 1], [3, 2], [7, 3]], dtype=dtype)
    learned = learn_categories(X, [0], None, 255)
    assert learned.values == {0: (7, 3)}
    matrix = learned.matrix(X)
    assert matrix.dtype == (np.float32 if dtype is np.float32 else np.float64)
    assert matrix.tolist() == [[0, 1], [1, 2], [0, 3]]
    assert X[0, 0] == 7


@pytest.mark.parametrize(
    ("given", "columns"),
    [
        ("from_dtype", (0,)),
        (None, ()),
        ([], ()),
        (["x", "colour"], (0, 1)),
        ([1], (1,)),
        (np.array([True, False]), (0,)),
        ((np.int64(0), 0), (0,)),
    ],
)
def test_ways_to_name_columns(given, columns):
    colours, x, _ = problem()
    assert categorical_columns(frame(colours, x), given, ["colour", "x"]) == columns


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("colour", ValueError, r"got 'colour'. Pass \['colour'\]"),
        (["size"], ValueError, r"names of columns of X, got 'size'. The columns are 'colour', 'x'"),
        ([2], ValueError, "between 0 and 1, got 2"),
        ([-1], ValueError, "between 0 and 1, got -1"),
        ([True], ValueError, "a mask of 1 values, but X has 2 columns"),
        ([0, "x"], TypeError, "Pass a list of one kind"),
        ([1.5], TypeError, "Pass a list of one kind"),
        (7.5, TypeError, "Pass a list of one kind"),
    ],
)
@pytest.mark.parametrize("way", ["estimator", "dataset"])
def test_bad_categorical_features(given, error, message, way):
    colours, x, y = problem()
    fit = Dataset if way == "dataset" else fit_regressor
    with pytest.raises(error, match="categorical_features.*" + message):
        fit(frame(colours, x), y, categorical_features=given)


def test_names_need_names():
    _, x, y = problem()
    with pytest.raises(ValueError, match=r"'a', but X has no column names\. Pass positions"):
        Dataset(x[:, None], y, categorical_features=["a"])


@pytest.mark.parametrize(
    "value", [pd.Timestamp(0), b"red", [1], 2**70, float("inf"), 1j], ids=lambda v: type(v).__name__
)
def test_values_that_are_no_categories(value):
    X = np.empty((4, 1), dtype=object)
    X[:, 0] = ["a", "b", value, "a"]
    with pytest.raises(TypeError, match=r"column 0 of X is categorical.*Convert them to strings"):
        Dataset(X, [1, 2, 3, 4], categorical_features=[0])


def test_text_without_a_name_says_how():
    colours, x, y = problem()
    table = pd.DataFrame({"colour": colours.astype(object), "x": x})
    with pytest.raises(ValueError, match=r"'colour' \(text\).*naming it in categorical_features"):
        PLBoostRegressor().fit(table, y)
    named = PLBoostRegressor(n_estimators=3, random_state=0, categorical_features=["colour"])
    same = model(n_estimators=3).booster_.to_bytes()
    assert named.fit(table, y).booster_.to_bytes() == same


def test_unseen_and_missing_categories_are_missing_values():
    fitted = model()
    x = np.linspace(-2, 2, 5)
    unseen = fitted.predict(frame(["purple"] * 5, x))
    missing = fitted.predict(frame([None] * 5, x))
    np.testing.assert_array_equal(unseen, missing)
    assert not np.array_equal(missing, fitted.predict(frame(["grey"] * 5, x)))


def test_other_orders_and_sets_of_a_dtype_change_nothing():
    fitted = model()
    colours, x, _ = problem(seed=1)
    expected = fitted.predict(frame(colours, x))
    for categories in (COLOURS, COLOURS[::-1], ["purple", *sorted(COLOURS), "teal"]):
        table = frame(pd.Categorical(colours, categories=categories), x)
        np.testing.assert_array_equal(fitted.predict(table), expected)
    objects = np.column_stack([colours.astype(object), x.astype(object)])
    np.testing.assert_array_equal(fitted.booster_.predict(objects), expected)
    np.testing.assert_array_equal(fitted.booster_.predict(objects.tolist()), expected)
    np.testing.assert_array_equal(
        fitted.booster_.predict(pl.DataFrame({"colour": colours, "x": x})), expected
    )


def test_staged_predictions_and_evaluation_sets():
    colours, x, y = problem()
    table = frame(colours, x)
    fitted = PLBoostRegressor(n_estimators=4, random_state=0)
    fitted.fit(table[:400], y[:400], eval_set=(table[400:], y[400:]))
    *_, last = fitted.staged_predict(table)
    np.testing.assert_array_equal(last, fitted.predict(table))
    error = np.sqrt(np.mean((last[400:] - y[400:]) ** 2))
    assert fitted.evals_result_["eval_0"]["rmse"][-1] == pytest.approx(error)
    booster = train(
        {"n_estimators": 4}, Dataset(table[:400], y[:400]), eval_sets={"v": (table[400:], y[400:])}
    )
    assert booster.history["v"]["rmse"] == fitted.evals_result_["eval_0"]["rmse"]


def test_classifier():
    colours, x, y = problem()
    table = frame(colours, x)
    labels = np.where(y > 0, "high", "low")
    fitted = PLBoostClassifier(n_estimators=20, random_state=0).fit(
        table, labels, eval_set=(table, labels)
    )
    assert fitted.score(table, labels) > 0.95
    assert fitted.is_categorical_.tolist() == [True, False]
    np.testing.assert_array_equal(fitted.predict(table.iloc[:9]), fitted.predict(table)[:9])


def test_columns_are_compared_before_codes_are_made():
    fitted = model()
    colours, x, _ = problem()
    with pytest.raises(ValueError, match="order"):
        fitted.booster_.predict(frame(colours, x)[["x", "colour"]])
    with pytest.raises(ValueError, match="1 features, but the model was trained with 2"):
        fitted.booster_.predict(np.array([["red"]], dtype=object))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame(colours, x)[["x", "colour"]])


def test_file_and_pickle_keep_the_categories(tmp_path):
    booster = model().booster_
    colours, x, _ = problem(seed=2)
    expected = booster.predict(frame(colours, x))
    booster.save(tmp_path / "model.plb")
    for copy in (Booster.load(tmp_path / "model.plb"), pickle.loads(pickle.dumps(booster))):
        assert copy.to_bytes() == booster.to_bytes()
        assert copy.categories == booster.categories
        np.testing.assert_array_equal(copy.predict(frame(colours, x)), expected)
    assert set(booster.categories) == {"colour"}
    assert set(booster.categories["colour"]) == set(COLOURS)


def change(feature=0, values=("red",)):
    return {"feature": feature, "values": list(values)}


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        (None, "categories must be a list"),
        ([], "a split does not fit the kind of its feature"),
        ([3], "must have a feature and values"),
        ([{"feature": 0}], "must have a feature and values"),
        ([change(feature=2)], "feature 2 of categories is not in order"),
        ([change(feature=-1)], "feature -1 of categories is not in order"),
        ([change(feature=True)], "feature True of categories is not in order"),
        ([change(feature=0), change(feature=0)], "feature 0 of categories is not in order"),
        ([change(values=["a", "a"])], "a category occurs twice"),
        ([change(values=[1, True])], "a category occurs twice"),
        ([change(values=[None])], "a category must be a text"),
        ([change(values=[["a"]])], "a category must be a text"),
        ([change(values=range(256))], "at most 255 categories"),
        ([{"feature": 0, "values": "red"}], "at most 255 categories"),
        ([change(feature=1)], "a split does not fit the kind of its feature"),
        ([change(0), change(1)], "a split does not fit|a categorical feature has a slope"),
    ],
)
def test_hostile_categories(categories, message):
    header, arrays = parts(model().booster_.to_bytes())
    header["categories"] = categories
    with pytest.raises(ModelFileError, match=message):
        Booster.from_bytes(assembled(json.dumps(header).encode(), arrays))


def test_trees_show_categories():
    booster = model(max_regressors=0).booster_
    tree = booster.tree(0)
    split = next(split for split in tree.splits if split.feature == "colour")
    assert set(split.categories) <= set(COLOURS)
    assert f"colour in {{{', '.join(split.categories)}}} (missing: {split.missing})" in str(tree)
    node = next(n for n in json.loads(json.dumps(tree.to_dict()))["nodes"] if n.get("categories"))
    assert node["threshold"] is None
    assert node["categories"] == list(split.categories)
    table = booster.to_frame()
    assert table.loc[split.node, "categories"] == split.categories
    assert booster.feature_importance()[0] > 0


def test_more_categories_than_bins():
    rng = np.random.default_rng(0)
    n = 4000
    ids = np.concatenate([np.repeat(np.arange(100), 30), np.arange(1000, 1000 + n - 3000)])
    y = np.where(ids < 100, ids % 7, 20.0) + 0.1 * rng.normal(size=n)
    table = pd.DataFrame({"id": pd.Categorical([f"n{i}" for i in ids]), "x": rng.normal(size=n)})
    fitted = PLBoostRegressor(random_state=0, max_bins=100).fit(table, y)
    assert len(fitted.booster_.categories["id"]) == 100
    # A category that was never seen is treated as the rare ones were.
    new = pd.DataFrame({"id": ["somebody new"], "x": [0.0]})
    assert fitted.predict(new)[0] == pytest.approx(20.0, abs=0.3)
    assert fitted.score(table, y) > 0.99


def test_all_missing_and_single_categories_are_harmless():
    y = np.arange(100.0)
    for values in ([None] * 100, ["a"] * 100, ["a"] * 50 + [None] * 50):
        table = pd.DataFrame({"c": pd.Categorical(values), "x": np.arange(100.0)})
        booster = train({"n_estimators": 3}, Dataset(table, y))
        assert np.isfinite(Booster.from_bytes(booster.to_bytes()).predict(table)).all()


def test_empty_categories_pass_everything_on():
    X = np.ones((2, 2))
    assert Categories().matrix(X) is X
    assert Categories().counts(2) == []


def test_the_example_of_the_page():
    page = Path(__file__).parents[3] / "docs" / "categorical.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted >= 8
    assert result.failed == 0


def test_early_stopping_holds_rows_of_a_frame_back():
    colours, x, y = problem(n=2000)
    for table in (frame(colours, x), pl.DataFrame({"colour": pl.Series(colours), "x": x})):
        fitted = PLBoostRegressor(
            n_estimators=60, early_stopping=True, categorical_features=["colour"], random_state=0
        ).fit(table, y)
        assert list(fitted.evals_result_) == ["validation"]
        assert fitted.score(table, y) > 0.9


def test_several_classes():
    colours, x, _ = problem()
    fitted = PLBoostClassifier(n_estimators=5, random_state=0).fit(frame(colours, x), colours)
    assert fitted.score(frame(colours, x), colours) > 0.95


def test_a_model_goes_on_with_its_own_categories():
    colours, x, y = problem()
    first = train({"n_estimators": 3}, Dataset(frame(colours, x), y))
    more = np.where(colours == "red", "purple", colours)
    data = Dataset(frame(more, x), y, init_model=first)
    assert data.categories == first.categories
    longer = train({"n_estimators": 2}, data)
    assert longer.n_rounds == 5
    table = frame(colours, x)
    np.testing.assert_array_equal(longer.predict(table, n_rounds=3), first.predict(table))
    with pytest.raises(ValueError, match=r"init_model has the categorical columns \[0\].*gives no"):
        Dataset(np.column_stack([x, x]), y, init_model=first)


def test_warm_start_goes_on_where_it_was():
    colours, x, y = problem()
    table = frame(colours, x)
    params = {"random_state": 0, "n_estimators": 6}
    whole = PLBoostRegressor(**params).fit(table, y)
    parts = PLBoostRegressor(**(params | {"n_estimators": 2}), warm_start=True).fit(table, y)
    parts.set_params(n_estimators=6).fit(table, y)
    np.testing.assert_array_equal(parts.predict(table), whole.predict(table))


@pytest.mark.parametrize(
    "constraint", [{"monotonic_cst": {"colour": 1}}, {"regressor_features": ["colour", "x"]}]
)
def test_constraints_that_categories_cannot_keep(constraint):
    colours, x, y = problem()
    (name,) = constraint
    with pytest.raises(ValueError, match=rf"{name}=.*'colour', which categorical_features makes"):
        PLBoostRegressor(**constraint).fit(frame(colours, x), y)


@pytest.mark.parametrize("fitting", ["half_additive", "fully_corrective"])
def test_other_features_keep_their_constraints(fitting):
    rng = np.random.default_rng(0)
    colours, x, _ = problem(n=1500)
    y = np.sin(3 * x) + (colours == "red") * 2.0 + 0.1 * rng.normal(size=1500)
    fitted = PLBoostRegressor(monotonic_cst={"x": 1}, fitting=fitting, random_state=0)
    fitted.fit(frame(colours, x), y)
    grid = np.linspace(-3, 3, 200)
    for colour in [*COLOURS, "unseen"]:
        assert (np.diff(fitted.predict(frame([colour] * 200, grid))) >= 0).all()
    red, blue = (fitted.predict(frame([c] * 200, grid)).mean() for c in ("red", "blue"))
    assert red - blue == pytest.approx(2.0, abs=0.3)
