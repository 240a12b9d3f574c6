"""The one table of parameters: names, defaults, and what is allowed.

The estimators, :func:`plboost.train` and :class:`plboost.Dataset` all check their arguments here,
so a parameter has the same name, default and error message everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plboost import _core
from plboost.constraint_parameters import CONSTRAINT_PARAMETERS, CONSTRAINTS
from plboost.estimator_parameters import ESTIMATOR_PARAMETERS
from plboost.parameter_combinations import check_combinations
from plboost.parameter_names import reject_name
from plboost.parameter_rules import (
    Choice,
    Flag,
    Integer,
    Levels,
    LossRule,
    NonZeroInteger,
    Parameter,
    Real,
)

__all__ = [
    "PARAMETERS",
    "Parameter",
    "check_parameter",
    "check_training_parameters",
    "default_of",
    "training_options",
]

RANKING_LOSSES = ("lambdarank", "listnet")

PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter(
            "loss",
            "squared_error",
            LossRule(tuple(_core.loss_names())),
            "Use 'squared_error' for regression and 'log_loss' for classes 0, 1, 2 and so on.",
        ),
        Parameter(
            "alpha",
            None,
            Levels(),
            "It is the level of loss='quantile' (0.5 if None), a list for several at once, and for "
            "loss='huber' the part of the residuals that count squared (0.9 if None).",
            none_allowed=True,
        ),
        Parameter(
            "power",
            None,
            Real(1.0, 2.0, includes_minimum=False, includes_maximum=False),
            "It is the variance power of loss='tweedie' (1.5 if None). For 1 use loss='poisson', "
            "for 2 loss='gamma'.",
            none_allowed=True,
        ),
        Parameter(
            "truncation_level",
            None,
            Integer(1),
            "It is the number of places from the top whose pairs loss='lambdarank' looks at (30 if "
            "None).",
            none_allowed=True,
        ),
        Parameter(
            "n_estimators",
            500,
            Integer(1),
            "It is the number of rounds, one tree for each output.",
        ),
        Parameter(
            "learning_rate",
            None,
            Real(0.0, includes_minimum=False),
            "Usual values lie between 0.01 and 0.3; None chooses by rows and rounds.",
            none_allowed=True,
        ),
        Parameter(
            "max_leaves",
            None,
            Integer(1, 65536),
            "Usual values lie between 15 and 255; 1 gives trees without a split, None lets the "
            "data decide.",
            none_allowed=True,
        ),
        Parameter(
            "max_depth",
            None,
            Integer(1),
            "Use None for no limit; max_leaves bounds the size of a tree.",
            none_allowed=True,
        ),
        Parameter(
            "min_samples_leaf",
            20,
            Real(0.0),
            "It is compared with the sum of the row weights of a leaf.",
        ),
        Parameter(
            "min_hessian",
            1e-3,
            Real(0.0),
            "Use 0 to switch this limit off.",
        ),
        Parameter(
            "min_gain",
            0.0,
            Real(0.0),
            "Use 0 to accept every split that lowers the loss.",
        ),
        Parameter(
            "min_samples_category",
            10.0,
            Real(0.0),
            "It is compared with the sum of the row weights of a category in a node.",
        ),
        Parameter(
            "category_smoothing",
            10.0,
            Real(0.0),
            "Use 0 to put categories in order by their own rows alone.",
        ),
        Parameter("l2", 0.1, Real(0.0), "Use 0 for no penalty on the mean output of a leaf."),
        Parameter(
            "l2_slopes",
            None,
            Real(0.0),
            "Use None for the same value as l2.",
            none_allowed=True,
        ),
        Parameter("max_regressors", 5, Integer(0), "Use 0 for constant leaves."),
        Parameter(
            "fitting",
            "half_additive",
            Choice(("half_additive", "additive", "fully_corrective")),
            "The default is 'half_additive'.",
        ),
        Parameter(
            "regressors",
            "path",
            Choice(("path", "all")),
            "Use 'path' to let a leaf use the features of the splits above it.",
        ),
        Parameter(
            "repeated",
            "redundant",
            Choice(("redundant", "refit")),
            "Use 'redundant' for the paper's rule.",
        ),
        Parameter(
            "penalty",
            "centred",
            Choice(("centred", "paper")),
            "Use 'centred' unless you reproduce the paper's numbers.",
        ),
        Parameter(
            "refit_leaves",
            True,
            Flag(),
            "Use True to fit every leaf of a finished tree again on its own rows.",
        ),
        Parameter(
            "slope_shrinkage",
            0.1,
            Real(0.0),
            "Use 0 to take the slopes of a leaf as they are fitted.",
        ),
        Parameter(
            "mean_shrinkage",
            3.0,
            Real(0.0),
            "Use 0 to take the mean output of a leaf as it is fitted.",
        ),
        Parameter(
            "extrapolation",
            "clamp",
            Choice(("clamp", "linear")),
            "Use 'clamp' to keep a leaf's output within its range on the training rows.",
        ),
        Parameter(
            "split_sample",
            0.6,
            Real(0.0, 1.0, includes_minimum=False),
            "Use None to search splits on all rows; leaf models see all rows that a tree knows.",
            none_allowed=True,
        ),
        Parameter(
            "split_sample_rows",
            8192,
            Integer(1024),
            "Use None for no limit on the rows of a node that splits are searched on.",
            none_allowed=True,
        ),
        Parameter(
            "subsample",
            None,
            Real(0.0, 1.0, includes_minimum=False),
            "It is the part of the rows that a tree and its leaves are fitted on; None chooses by "
            "rows.",
            none_allowed=True,
        ),
        Parameter(
            "subsample_method",
            "uniform",
            Choice(("uniform", "goss")),
            "Use 'goss' to keep the rows of the largest gradients; it needs subsample < 1.",
        ),
        Parameter(
            "top_rate",
            None,
            Real(0.0, 1.0, includes_minimum=False),
            "Use None for two thirds of subsample.",
            none_allowed=True,
        ),
        *(
            Parameter(
                f"colsample_by{unit}",
                1.0,
                Real(0.0, 1.0, includes_minimum=False),
                f"It is the part of the features that a {unit} may be cut by.",
            )
            for unit in ("tree", "level", "node")
        ),
        *CONSTRAINT_PARAMETERS,
        Parameter(
            "max_bins",
            255,
            Integer(2, 255),
            "Bin codes are stored in 8 bits.",
            belongs_to="dataset",
        ),
        Parameter(
            "category_means",
            None,
            Choice(("target", "classes")),
            "Use 'target' for the mean of y in every category, 'classes' for shares of classes.",
            none_allowed=True,
            belongs_to="dataset",
        ),
        *ESTIMATOR_PARAMETERS,
        Parameter(
            "n_jobs",
            None,
            # A thread costs memory; beyond this it is a slip of the keyboard.
            NonZeroInteger(maximum=1024),
            "Use None or -1 for all available processors, 1 for a single thread.",
            none_allowed=True,
            belongs_to="run",
        ),
        Parameter(
            "verbose",
            0,
            Integer(0),
            "Use 0 for silence, 1 for a progress line, n > 1 for a line every n rounds.",
            belongs_to="run",
        ),
    )
}


def default_of(name: str) -> Any:
    """Return the default value of a parameter.

    Examples
    --------
    >>> default_of("max_bins")
    255
    """
    return PARAMETERS[name].default


def check_parameter(name: str, value: Any) -> Any:
    """Check the value of one parameter of the table.

    Parameters
    ----------
    name : str
        A name of the table.
    value : object
        What the user gave.

    Returns
    -------
    object
        The value as a plain Python object.

    Raises
    ------
    TypeError, ValueError
        With the name, the value, what is allowed, and what to do.

    Examples
    --------
    >>> check_parameter("max_bins", 1000)
    Traceback (most recent call last):
    ...
    ValueError: max_bins must be an integer between 2 and 255, got 1000. Bin codes ...
    """
    return PARAMETERS[name].check(value)


def check_training_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Check the params of :func:`plboost.train` and fill in the defaults.

    Parameters
    ----------
    params : mapping
        Names and values; what is left out has its default.

    Returns
    -------
    dict
        Every training parameter in the order of the table. ``l2_slopes=None`` is resolved.

    Raises
    ------
    TypeError, ValueError
        For an unknown name, a wrong type, a wrong value or a combination that cannot work.

    Examples
    --------
    >>> check_training_parameters({"l2": 1})["l2_slopes"]
    1.0
    >>> check_training_parameters({"max_leafs": 8})
    Traceback (most recent call last):
    ...
    ValueError: unknown parameter 'max_leafs': did you mean 'max_leaves'? ...
    """
    if not isinstance(params, Mapping):
        raise TypeError(
            f"params must be a dict of parameter names and values, got {type(params).__name__}. "
            "Use {} for the defaults."
        )
    for name in params:
        if name not in PARAMETERS or PARAMETERS[name].belongs_to != "training":
            reject_name(name, PARAMETERS)
    checked = {
        parameter.name: parameter.check(params.get(parameter.name, parameter.default))
        for parameter in PARAMETERS.values()
        if parameter.belongs_to == "training"
    }
    if checked["l2_slopes"] is None:
        checked["l2_slopes"] = checked["l2"]
    check_combinations(checked)
    return checked


def training_options(checked: Mapping[str, Any]) -> _core.TrainingOptions:
    """Fill the core's options from checked parameters.

    Parameters
    ----------
    checked : mapping
        What :func:`check_training_parameters` returned, with constraints as
        :func:`plboost.feature_lists.by_column` has them.

    Returns
    -------
    _core.TrainingOptions
        The same values under the core's names.
    """
    options = _core.TrainingOptions()
    for name, value in checked.items():
        if name == "loss":
            options.loss = value if isinstance(value, str) else "custom"
        elif name == "alpha":
            options.alpha = [] if value is None else value if isinstance(value, list) else [value]
        elif name in ("max_leaves", "subsample") and value is None:
            continue  # the data decide
        elif name in ("max_depth", "split_sample_rows"):
            setattr(options, name, 0 if value is None else value)
        elif name == "split_sample":
            options.split_sample = 1.0 if value is None else value
        elif name == "top_rate":
            options.top_rate = 0.0 if value is None else value
        elif name in CONSTRAINTS:
            setattr(options, name, value or [])
        elif name not in ("n_estimators", "learning_rate"):  # the trainer is told round by round
            setattr(options, name, value)
    return options
