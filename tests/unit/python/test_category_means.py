"""Means of categories: what users ask for and what they see."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from plboost import (
    Booster,
    Dataset,
    PLBoostClassifier,
    PLBoostRanker,
    PLBoostRegressor,
    train,
)
from plboost.plotting import plot_leaf
from tests.unit.python.cities import N_CITIES, SMALL, model, problem, trained


@pytest.mark.parametrize(
    ("value", "error"), [("mean", ValueError), (True, TypeError), (10.0, TypeError)]
)
def test_values_that_are_none(value, error):
    table, y = problem()
    message = "category_means must be None or one of 'target', 'classes', got "
    for fit in (Dataset, lambda X, y, **params: PLBoostRegressor(**params).fit(X, y)):
        with pytest.raises(error, match=message):
            fit(table, y, category_means=value)
    with pytest.raises(ValueError, match=r"'category_means' does not go into params.*Dataset"):
        train({"category_means": "target"}, Dataset(table, y))


def test_numbers_alone_have_no_means():
    X = np.random.default_rng(0).normal(size=(100, 2))
    with_means = train(SMALL, Dataset(X, X[:, 0], category_means="target"))
    assert with_means.to_bytes() == train(SMALL, Dataset(X, X[:, 0])).to_bytes()


def test_what_is_seen_is_in_terms_of_the_columns():
    fitted = model(max_leaves=12)
    booster, (table, _) = fitted.booster_, problem()
    assert fitted.n_features_in_ == booster.n_features == 2
    assert booster.feature_names == ["city", "x"] == fitted.feature_names_in_.tolist()
    assert list(booster.feature_ranges()) == ["city", "x"]
    assert fitted.feature_importances_.shape == (2,)
    used = booster.to_frame().dropna(subset=["feature"])
    assert set(used["feature"]) <= {"city", "x", "mean(city)"}
    of_city = used.loc[used["feature"] != "x", "gain"].sum()
    assert booster.feature_importance()[0] == pytest.approx(of_city)
    assert (used["feature"] == "mean(city)").sum() > 0
    lines = [leaf for i in range(booster.n_trees) for leaf in booster.tree(i).leaves]
    assert any("mean(city)" in leaf.slopes for leaf in lines)
    assert "Dataset(n_rows=500, n_features=2)" == repr(Dataset(table, np.arange(500.0)))


def test_the_name_of_a_mean_is_of_no_feature():
    table, y = problem()
    table["mean(city)"] = table["x"]
    names = {name for i in range(4) for name in _used(trained(table, y).tree(i))}
    assert names <= {"city", "x", "mean(city)", "mean(city)'"}
    assert "mean(city)'" in names


def _used(tree):
    return [split.feature for split in tree.splits]


def test_leaves_can_be_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    booster = model(max_leaves=12).booster_
    tree = booster.tree(0)
    leaf = next(leaf for leaf in tree.leaves if "mean(city)" in leaf.slopes)
    labels = [axes.get_xlabel() for axes in plot_leaf(booster, 0, leaf.leaf)]
    assert labels == list(leaf.slopes)


def test_orders_sets_and_libraries_change_no_prediction():
    fitted, (table, _) = model(), problem(seed=1)
    expected = fitted.predict(table)
    names = table["city"].cat.categories
    for categories in (names[::-1], ["new", *sorted(names), "other"]):
        other = table.assign(city=table["city"].cat.set_categories(categories))
        np.testing.assert_array_equal(fitted.predict(other), expected)
    rows = np.column_stack([table["city"].astype(object), table["x"].astype(object)])
    np.testing.assert_array_equal(fitted.booster_.predict(rows), expected)
    texts = pl.DataFrame({"city": table["city"].astype(str).tolist(), "x": table["x"].to_numpy()})
    np.testing.assert_array_equal(fitted.booster_.predict(texts), expected)
    one = [fitted.predict(table.iloc[[i]])[0] for i in range(5)]
    np.testing.assert_array_equal(one, expected[:5])


def test_unknown_categories_have_the_mean_of_all_and_missing_ones_none():
    table, y = problem()
    dataset = Dataset(table, y, category_means="target")
    known = dataset._categories
    new = known.matrix(pd.DataFrame({"city": ["nowhere", None], "x": [1.0, 1.0]}))
    assert np.isnan(new[:, 0]).all()
    assert new[0, 2] == pytest.approx(y.mean())
    assert np.isnan(new[1, 2])
    means = y[table["city"] == "c3"]
    row = known.matrix(pd.DataFrame({"city": ["c3"], "x": [1.0]}))[0]
    assert row[2] == pytest.approx((means.sum() + y.mean()) / (len(means) + 1))


def test_categories_beyond_the_bins_have_means():
    table, y = problem(n=2000)
    booster = trained(table, y, max_bins=8)
    assert len(booster.categories["city"]) == 8
    matrix = booster._matrix(table)
    assert np.isnan(matrix[:, 0]).any()
    assert len(np.unique(matrix[:, 2])) == N_CITIES
    copy = Booster.from_bytes(booster.to_bytes())
    np.testing.assert_array_equal(copy.predict(table), booster.predict(table))


def test_evaluation_sets_have_the_means_of_all_training_rows():
    table, y = problem()
    fitted = PLBoostRegressor(**SMALL, category_means="target", random_state=0)
    fitted.fit(table[:400], y[:400], eval_set=(table[400:], y[400:]))
    error = np.sqrt(np.mean((fitted.predict(table[400:]) - y[400:]) ** 2))
    assert fitted.evals_result_["eval_0"]["rmse"][-1] == pytest.approx(error)
    *_, last = fitted.staged_predict(table)
    np.testing.assert_array_equal(last, fitted.predict(table))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes(n_classes):
    table, y = problem(n=1200)
    labels = np.array(["low", "mid", "high"])[np.digitize(y, [13, 17][: n_classes - 1])]
    fitted = PLBoostClassifier(n_estimators=20, category_means="classes", random_state=0)
    fitted.fit(table, labels, eval_set=(table, labels))
    assert fitted.score(table, labels) > 0.9
    shown = {split.feature for i in range(20) for split in fitted.booster_.tree(i).splits}
    wanted = ["share(city, class 1)"] + ["share(city, class 2)"] * (n_classes > 2)
    assert shown >= set(wanted)
    assert fitted.feature_importances_.shape == (2,)
    shares = fitted.booster_._categories.means.table[0]
    assert shares.shape == (N_CITIES, n_classes if n_classes > 2 else 1)
    if n_classes > 2:
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_means_of_the_numbers_of_classes_are_refused():
    table, y = problem()
    labels = np.digitize(y, [13, 17])
    with pytest.raises(
        ValueError, match=r"category_means='target'.*loss='log_loss' holds the numbers of 3 classes"
    ):
        PLBoostClassifier(category_means="target").fit(table, labels)
    two = [
        PLBoostClassifier(**SMALL, category_means=kind, random_state=0).fit(table, labels > 0)
        for kind in ("target", "classes")
    ]
    np.testing.assert_array_equal(*(fitted.predict_proba(table) for fitted in two))


@pytest.mark.parametrize("targets", ["numbers", "gap", "columns"])
def test_classes_must_be_classes(targets):
    table, y = problem()
    wrong = {"numbers": y, "gap": 2.0 * (y > 13), "columns": np.column_stack([y > 1, y > 13])}
    with pytest.raises(
        ValueError, match=r"category_means='classes' needs y of the classes.*='target' for"
    ):
        Dataset(table, wrong[targets], category_means="classes")


def test_several_outputs_have_a_mean_each():
    table, y = problem()
    booster = trained(table, np.column_stack([y, -y, y**2]), params={"max_leaves": 12})
    shown = {split.feature for i in range(booster.n_trees) for split in booster.tree(i).splits}
    assert shown & {f"mean(city, output {k})" for k in range(3)}
    assert booster.n_features == 2
    assert booster._forest.n_features == 5
    copy = Booster.from_bytes(booster.to_bytes())
    np.testing.assert_array_equal(copy.predict(table), booster.predict(table))


@pytest.mark.parametrize(
    "params",
    [
        {"loss": "quantile", "alpha": [0.1, 0.9]},
        {"loss": "absolute_error"},
        {"loss": "poisson"},
        {"loss": lambda y, score: (score - y, np.ones_like(score))},
        {"intervals": True},
        {"early_stopping": True},
    ],
    ids=lambda params: "-".join(params),
)
def test_other_losses_and_options(params):
    table, y = problem()
    fitted = PLBoostRegressor(**SMALL, category_means="target", random_state=0, **params)
    fitted.fit(table, np.abs(y))
    assert np.isfinite(fitted.predict(table)).all()
    if params.get("intervals"):
        assert (np.diff(fitted.predict_interval(table)) >= 0).all()


def test_ranker():
    table, y = problem()
    ranker = PLBoostRanker(**SMALL, category_means="target", random_state=0)
    ranker.fit(table, np.digitize(y, [10, 14, 18]), group=[50] * 10)
    shown = {split.feature for i in range(4) for split in ranker.booster_.tree(i).splits}
    assert "mean(city)" in shown


@pytest.mark.parametrize("given", [["city"], [0], [True, False]], ids=str)
@pytest.mark.parametrize("name", ["regressor_features", "nonnegative_slopes"])
def test_slopes_of_categories_need_means(name, given):
    table, y = problem()
    with pytest.raises(
        ValueError, match=rf"{name}=.*a slope of 'city', which categorical_features .*category_mean"
    ):
        train({name: given}, Dataset(table, y))
    train(SMALL | {name: given}, Dataset(table, y, category_means="target"))


def test_all_slopes_may_be_nonnegative_beside_categories():
    table, y = problem()
    train(SMALL | {"nonnegative_slopes": True}, Dataset(table, y))


def test_an_order_of_categories_is_refused_with_means_too():
    with pytest.raises(ValueError, match=r"monotonic_cst=.*an order of 'city'"):
        model(monotonic_cst={"city": 1})


def uses(booster):
    """Return the columns that are cut, and the slopes of each column."""
    trees = [booster.tree(i) for i in range(booster.n_trees)]
    slopes = {}
    for leaf in (leaf for tree in trees for leaf in tree.leaves):
        for name, slope in leaf.slopes.items():
            slopes.setdefault(name, []).append(slope)
    return {name for tree in trees for name in _used(tree)}, slopes


def test_constraints_of_a_category_hold_for_its_means():
    cuts, lines = uses(model(regressor_features=["x"], max_leaves=20).booster_)
    assert "mean(city)" in cuts
    assert set(lines) == {"x"}
    cuts, lines = uses(model(regressor_features=["city"], max_leaves=20).booster_)
    assert set(lines) == {"mean(city)"}
    cuts, lines = uses(model(split_features=["x"], max_leaves=20).booster_)
    assert cuts == {"x"}
    cuts, lines = uses(
        model(split_features=["x"], regressor_features=["city"], max_leaves=20).booster_
    )
    assert cuts == {"x"}
    assert set(lines) == {"mean(city)"}
    table, y = problem()
    falling = PLBoostRegressor(category_means="target", random_state=0, **SMALL)
    _, lines = uses(falling.set_params(nonnegative_slopes=["city"]).fit(table, -y).booster_)
    assert min(lines["mean(city)"]) >= 0


def test_a_category_and_its_means_are_one_feature_to_interactions():
    booster = model(interaction_cst="no_interactions", max_leaves=20).booster_
    found = set()
    for tree in map(booster.tree, range(booster.n_trees)):
        for leaf in tree.leaves:
            found.add(frozenset(split.feature for split, _ in tree.path_to(leaf.leaf)))
    together = frozenset({"city", "mean(city)"})
    assert all(path <= together or path == {"x"} for path in found)
    assert together in found
    with pytest.raises(ValueError, match=r"\('mean\(city\)', \.\.\.\) puts 1 lines .* is 0"):
        model(split_features=["x"], regressor_features=["city"], max_regressors=0)
