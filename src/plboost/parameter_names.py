"""Names that are no training parameters, and what was meant by them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from plboost.parameters import Parameter

__all__ = ["reject_name"]

# Names of the same idea in other libraries, for the hint in the error message.
_FOREIGN_NAMES = {
    "n_rounds": "n_estimators",
    "num_boost_round": "n_estimators",
    "num_iterations": "n_estimators",
    "iterations": "n_estimators",
    "max_iter": "n_estimators",
    "eta": "learning_rate",
    "shrinkage": "learning_rate",
    "num_leaves": "max_leaves",
    "max_leaf_nodes": "max_leaves",
    "depth": "max_depth",
    "max_bin": "max_bins",
    "border_count": "max_bins",
    "min_data_in_leaf": "min_samples_leaf",
    "min_child_samples": "min_samples_leaf",
    "min_child_weight": "min_hessian",
    "min_sum_hessian_in_leaf": "min_hessian",
    "min_split_gain": "min_gain",
    "min_gain_to_split": "min_gain",
    "gamma": "min_gain",
    "lambda": "l2",
    "lambda_l2": "l2",
    "reg_lambda": "l2",
    "l2_regularization": "l2",
    "l2_leaf_reg": "l2",
    "linear_lambda": "l2_slopes",
    "objective": "loss",
    "nthread": "n_jobs",
    "num_threads": "n_jobs",
    "thread_count": "n_jobs",
    "seed": "random_state",
    "bagging_fraction": "subsample",
    "sub_row": "subsample",
    "bagging": "subsample",
    "max_samples": "subsample",
    "data_sample_strategy": "subsample_method",
    "sampling_method": "subsample_method",
    "bootstrap_type": "subsample_method",
    "other_rate": "subsample",
    "feature_fraction": "colsample_bytree",
    "rsm": "colsample_bylevel",
    "colsample_by_tree": "colsample_bytree",
    "feature_fraction_bynode": "colsample_bynode",
    "max_features": "colsample_bynode",
    "monotone_constraints": "monotonic_cst",
    "monotone_constraint": "monotonic_cst",
    "monotonic_constraints": "monotonic_cst",
    "interaction_constraints": "interaction_cst",
    "cat_smooth": "category_smoothing",
    "min_data_per_group": "min_samples_category",
    "categorical_feature": "categorical_features",
    "cat_features": "categorical_features",
    "simple_ctr": "category_means",
    "target_encoding": "category_means",
}

# Arguments of Dataset that have checks of their own.
_OF_DATASET = ("random_state", "categorical_features")


def reject_name(name: object, parameters: Mapping[str, Parameter]) -> NoReturn:
    """Raise for a name that does not belong into the params of :func:`plboost.train`.

    Parameters
    ----------
    name : object
        What the user gave as a name.
    parameters : mapping of str to Parameter
        The table.

    Raises
    ------
    TypeError, ValueError
        With the name that was meant, as far as it can be guessed.
    """
    if not isinstance(name, str):
        raise TypeError(f"parameter names must be strings, got {name!r} ({type(name).__name__}).")
    if name in parameters:
        raise ValueError(f"{name!r} does not go into params: {_where(name, parameters)}.")
    if name in _OF_DATASET:
        raise ValueError(f"{name!r} does not go into params: give it to Dataset().")
    suggestion = _FOREIGN_NAMES.get(name.lower())
    if suggestion is None:
        # Longer names win ties, so that "l2_slope" is not taken for "l2".
        close = difflib.get_close_matches(name.lower(), [*parameters, *_OF_DATASET], n=1)
        suggestion = close[0] if close else None
    hint = (
        f"did you mean {suggestion!r}{_where_else(suggestion, parameters)}? " if suggestion else ""
    )
    known = ", ".join(p.name for p in parameters.values() if p.belongs_to == "training")
    raise ValueError(f"unknown parameter {name!r}: {hint}The training parameters are {known}.")


def _where(name: str, parameters: Mapping[str, Parameter]) -> str:
    if name in _OF_DATASET or parameters[name].belongs_to == "dataset":
        return "give it to Dataset()"
    if parameters[name].belongs_to == "estimator":
        return "the estimators have it; train() takes callbacks and Dataset() takes init_model"
    return "give it to train() as an argument of its own"


def _where_else(name: str, parameters: Mapping[str, Parameter]) -> str:
    if name in parameters and parameters[name].belongs_to == "training":
        return ""
    return f" ({_where(name, parameters)})"
