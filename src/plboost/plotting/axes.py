"""Finding the model and making the axes."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from plboost.booster import Booster
from plboost.extras import require

__all__ = ["booster_of", "new_axes"]


def booster_of(model: Any) -> Booster:
    """Return the booster of an estimator, or the booster itself.

    Parameters
    ----------
    model : Booster, PLBoostRegressor or PLBoostClassifier
        A trained model.

    Returns
    -------
    Booster
        The model below.
    """
    if isinstance(model, Booster):
        return model
    if hasattr(model, "get_params"):
        check_is_fitted(model)
    booster = getattr(model, "booster_", None)
    if not isinstance(booster, Booster):
        raise TypeError(
            f"model must be a Booster or a fitted plboost estimator, got {type(model).__name__}. "
            "Pass the result of train() or of fit()."
        )
    return booster


def new_axes(n_axes: int, *, purpose: str) -> list[Any]:
    """Make a row of matplotlib axes that share their y axis.

    Parameters
    ----------
    n_axes : int
        How many.
    purpose : str
        What needs them, for the message when matplotlib is missing.

    Returns
    -------
    list of matplotlib.axes.Axes
        On a new figure.
    """
    pyplot = require("matplotlib.pyplot", purpose=purpose, install="plboost[plot]")
    size = (max(6.0, 3.2 * n_axes), 4.0)
    _, axes = pyplot.subplots(
        1, n_axes, sharey=True, squeeze=False, figsize=size, layout="constrained"
    )
    return list(axes[0])
