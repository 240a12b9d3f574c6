"""A trained model that a further training continues."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plboost.booster import Booster

__all__ = ["check_continuation", "model_to_continue"]


def model_to_continue(
    init_model: Any,
    feature_names: list[str] | None,
    categorical: Sequence[int] = (),
    category_means: str | None = None,
) -> Booster:
    """Find the booster behind the argument ``init_model``, cut off after its best round.

    Parameters
    ----------
    init_model : Booster, fitted estimator or path-like
        What the user gave.
    feature_names : list of str or None
        Names of the new training data's features.
    categorical : sequence of int
        Positions of its categorical features.
    category_means : {"target", "classes"} or None
        Which means of theirs are wanted.

    Returns
    -------
    Booster
        The rounds that the model predicts with.

    Raises
    ------
    TypeError, ValueError
        When it is something else, or has features of other names or kinds, or other means.
    """
    model = getattr(init_model, "booster_", init_model)
    if isinstance(model, (str, os.PathLike)):
        model = Booster.load(model)
    if not isinstance(model, Booster):
        raise TypeError(
            "init_model must be a Booster, a fitted estimator or the path of a saved model, got "
            f"{type(init_model).__name__}. Fit the estimator first, or pass None."
        )
    names = model._given_names
    if names is not None and feature_names is not None and names != feature_names:
        different = [
            f"{old!r} is now {new!r}"
            for old, new in zip(names, feature_names, strict=False)
            if old != new
        ]
        raise ValueError(
            f"the features of init_model are not those of X: {', '.join(different[:3])}"
            f"{', ...' if len(different) > 3 else ''} ({len(names)} and {len(feature_names)} "
            "features). Pass the same columns in the same order."
        )
    if set(categorical) != set(model._categories.values):
        raise ValueError(
            f"init_model has {_columns(model._categories.values)}, categorical_features gives "
            f"{_columns(categorical)}: a model goes on with features of the same kind. Pass "
            f"categorical_features={sorted(model._categories.values)}."
        )
    means = model._categories.means
    known = None if means is None else means.kind
    if categorical and known != category_means:
        raise ValueError(
            f"init_model was trained with category_means={known!r}, got category_means="
            f"{category_means!r}: a model goes on with the columns that it has. Pass "
            f"category_means={known!r}."
        )
    return _best_rounds(model)


def check_continuation(model: Booster, params: Mapping[str, Any], *, role: str) -> None:
    """Refuse to add rounds to a model whose scores or trees mean something else.

    Parameters
    ----------
    model : Booster
        The model.
    params : mapping
        Checked parameters of the rounds to come.
    role : str
        What the model is, for the message.

    Raises
    ------
    ValueError
        Naming the parameter.
    """
    loss = params["loss"]
    if model.loss != loss:
        raise ValueError(
            f"{role} was trained with loss={model.loss!r}, got loss={loss!r}: its scores mean "
            "something else. Pass the same loss."
        )
    for name, matters, why in (
        ("alpha", loss == "quantile", "its scores are other quantiles"),
        ("monotonic_cst", params["monotonic_cst"] is not None, "its trees keep no such order"),
        ("extrapolation", "extrapolation" in model.parameters, "its trees see other values"),
    ):
        old, new = model.parameters.get(name), params[name]
        if matters and old != new:
            raise ValueError(
                f"{role} was trained with {name}={old!r}, got {name}={new!r}: {why}. "
                f"Pass the same {name}."
            )


def _columns(positions: Iterable[int]) -> str:
    found = sorted(positions)
    return f"the categorical columns {found}" if found else "no categorical columns"


def _best_rounds(model: Booster) -> Booster:
    if model.best_round is None:
        return model
    return Booster(
        model._forest.first(model.best_round * model.n_outputs),
        feature_names=model._given_names,
        categories=model._categories,
        history={
            name: {metric: values[: model.best_round] for metric, values in metrics.items()}
            for name, metrics in model.history.items()
        },
        parameters=model.parameters,
        created_by=model.created_by,
    )
