from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pytest

from plboost import MissingDependencyError, PLBoostRegressor
from plboost.plotting import plot_history, plot_leaf

mpl.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_curves_are_those_of_the_history(booster):
    ax = plot_history(booster)
    assert {line.get_label(): list(line.get_ydata()) for line in ax.lines} == {
        name: metrics["rmse"] for name, metrics in booster.history.items()
    }
    assert list(ax.lines[0].get_xdata()) == [1, 2, 3, 4, 5, 6]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("round", "rmse")


def test_curves_go_on_the_given_axes(booster):
    _, ax = plt.subplots()
    assert plot_history(booster, ax=ax) is ax


def test_no_history_is_an_error(problem):
    model = PLBoostRegressor(n_estimators=1).fit(*problem)
    with pytest.raises(ValueError, match="the model has no history to plot"):
        plot_history(model)


def test_models_must_be_models():
    with pytest.raises(TypeError, match="model must be a Booster or a fitted plboost estimator"):
        plot_history({"valid": [1, 2]})


def test_lines_of_a_leaf_stay_within_the_leaf_and_its_limits(booster):
    tree = booster.tree(0)
    leaf = max(tree.leaves, key=lambda leaf: len(leaf.slopes))
    axes = plot_leaf(booster, 0, leaf.leaf)
    assert [ax.get_xlabel() for ax in axes] == list(leaf.slopes)
    for ax, (name, slope) in zip(axes, leaf.slopes.items(), strict=True):
        x, output = ax.lines[0].get_data()
        low, high = booster.feature_ranges()[name]
        for split, side in tree.path_to(leaf.leaf):
            if split.feature == name and np.isfinite(split.threshold):
                assert (x <= split.threshold if side == "left" else x >= split.threshold).all()
        assert low <= x.min() < x.max() <= high
        assert leaf.low <= output.min() <= output.max() <= leaf.high
        inside = (output[1:] < leaf.high) & (output[:-1] > leaf.low)
        inside &= (output[:-1] < leaf.high) & (output[1:] > leaf.low)
        np.testing.assert_allclose((np.diff(output) / np.diff(x))[inside], slope, rtol=1e-6)


def test_a_constant_leaf_has_one_flat_line(problem):
    model = PLBoostRegressor(n_estimators=1, max_leaves=1).fit(*problem)
    (ax,) = plot_leaf(model, 0, 0)
    assert ax.get_xlabel() == "constant leaf"
    assert np.ptp(ax.lines[0].get_ydata()) == 0


def test_leaves_that_are_not_there(booster):
    n_leaves = len(booster.tree(1).leaves)
    with pytest.raises(
        IndexError, match=f"leaf must be between 0 and {n_leaves - 1}, got {n_leaves}"
    ):
        plot_leaf(booster, 1, n_leaves)


def test_axes_must_be_as_many_as_regressors(booster):
    with pytest.raises(ValueError, match=r"axes must hold .* one for each regressor .* got 0"):
        plot_leaf(booster, 0, 0, axes=[])


def test_without_matplotlib_the_message_says_what_to_install(booster, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"needs matplotlib.*plboost\[plot\]"):
        plot_history(booster)
