"""Parameters that exclude each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["check_combinations"]


def check_combinations(checked: Mapping[str, Any]) -> None:
    """Raise for parameters that cannot work together, naming both.

    Parameters
    ----------
    checked : mapping
        Training parameters, each of which is allowed by itself.

    Examples
    --------
    >>> from plboost.parameters import check_training_parameters
    >>> check_training_parameters({"loss": "poisson", "alpha": 0.9})
    Traceback (most recent call last):
    ...
    ValueError: alpha=0.9 has no meaning for loss='poisson'. Set loss='quantile' or ...
    """
    _check_loss_parameters(checked)
    _check_sampling(checked)
    if checked["regressors"] != "all":
        return
    if checked["interaction_cst"] is not None:
        raise ValueError(
            "regressors='all' lets every feature meet every other in a leaf, which interaction_cst "
            "is there to prevent. Set regressors='path' or interaction_cst=None."
        )
    if checked["fitting"] != "fully_corrective":
        raise ValueError(
            "regressors='all' needs fitting='fully_corrective', got "
            f"fitting={checked['fitting']!r}: the other fittings build a leaf's regressors from "
            "the splits above it. "
            "Set fitting='fully_corrective' or regressors='path'."
        )
    if checked["max_regressors"] == 0:
        raise ValueError(
            "regressors='all' puts every feature into every leaf, got max_regressors=0, which asks "
            "for constant leaves. Set regressors='path' or leave max_regressors out."
        )
    if checked["repeated"] == "refit":
        raise ValueError(
            "repeated='refit' has no meaning with regressors='all', where no split brings a new "
            "regressor. Set repeated='redundant' or regressors='path'."
        )


def _check_loss_parameters(checked: Mapping[str, Any]) -> None:
    loss, alpha, power = checked["loss"], checked["alpha"], checked["power"]
    if alpha is not None and loss not in ("quantile", "huber"):
        raise ValueError(
            f"alpha={alpha!r} has no meaning for loss={loss!r}. "
            "Set loss='quantile' or loss='huber', or leave alpha out."
        )
    if isinstance(alpha, list) and loss == "huber":
        raise ValueError(
            f"loss='huber' takes a single alpha, got alpha={alpha!r}. "
            "Set one number, or loss='quantile'."
        )
    if power is not None and loss != "tweedie":
        raise ValueError(
            f"power={power!r} has no meaning for loss={loss!r}. "
            "Set loss='tweedie', or leave power out."
        )
    if checked["truncation_level"] is not None and loss != "lambdarank":
        raise ValueError(
            f"truncation_level={checked['truncation_level']!r} has no meaning for loss={loss!r}. "
            "Set loss='lambdarank', or leave truncation_level out."
        )


def _check_sampling(checked: Mapping[str, Any]) -> None:
    if checked["subsample_method"] == "goss" and checked["subsample"] in (None, 1.0):
        raise ValueError(
            f"subsample_method='goss' needs subsample < 1, got subsample={checked['subsample']}. "
            "Set subsample=0.3 or subsample_method='uniform'."
        )
    if checked["top_rate"] is None:
        return
    if checked["subsample_method"] != "goss":
        raise ValueError(
            f"top_rate={checked['top_rate']:g} needs subsample_method='goss', got "
            f"subsample_method={checked['subsample_method']!r}. Leave one of the two out."
        )
    if checked["top_rate"] >= checked["subsample"]:
        raise ValueError(
            f"top_rate must be below subsample={checked['subsample']:g}, got "
            f"{checked['top_rate']:g}: some rows must be left to stand for the others."
        )
