"""Learning curves."""

from __future__ import annotations

from typing import Any

from plboost.plotting.axes import booster_of, new_axes

__all__ = ["plot_history"]


def plot_history(model: Any, *, ax: Any = None) -> Any:
    """Plot the metric of every evaluation set against the round.

    Parameters
    ----------
    model : Booster, PLBoostRegressor or PLBoostClassifier
        A model trained with evaluation sets.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from plboost import PLBoostRegressor
    >>> from plboost.plotting import plot_history
    >>> X = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> y = np.sin(6 * X[:, 0])
    >>> model = PLBoostRegressor(n_estimators=10).fit(X[::2], y[::2], eval_set=(X[1::2], y[1::2]))
    >>> plot_history(model).get_ylabel()
    'rmse'
    """
    history = booster_of(model).history
    if not history:
        raise ValueError(
            "the model has no history to plot: it was trained without evaluation sets. "
            "Train it with eval_set=(X_valid, y_valid), or eval_sets in train()."
        )
    if ax is None:
        (ax,) = new_axes(1, purpose="plot_history()")
    metrics = []
    for set_name, curves in history.items():
        for metric, values in curves.items():
            metrics.append(metric)
            ax.plot(range(1, len(values) + 1), values, label=set_name)
    ax.set_xlabel("round")
    ax.set_ylabel(", ".join(dict.fromkeys(metrics)))
    ax.legend()
    return ax
