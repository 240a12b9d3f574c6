"""Weights of classes as weights of their rows."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["class_weighted"]

Vector = npt.NDArray[np.float64]


def class_weighted(
    weights: Vector | None,
    codes: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    class_weight: object,
    scale_pos_weight: object,
) -> Vector | None:
    """Multiply the weight of every row by that of its class.

    Parameters
    ----------
    weights : ndarray or None
        The row weights given by the user.
    codes : ndarray
        The place of every row's label in `classes`.
    classes : ndarray
        The labels in sorted order.
    class_weight : "balanced", dict of labels and weights, or None
        "balanced" makes the rows of all classes weigh the same together. A class that a dict
        leaves out weighs 1.
    scale_pos_weight : float or None
        The weight of the second of two classes.

    Returns
    -------
    ndarray or None
        None where every row weighs 1.

    Examples
    --------
    >>> class_weighted(None, np.array([0, 0, 0, 1]), np.array(["no", "yes"]), "balanced", None)
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    if class_weight is not None and scale_pos_weight is not None:
        raise ValueError(
            f"class_weight={class_weight!r} and scale_pos_weight={scale_pos_weight!r} both weigh "
            "the classes. Leave one of the two out."
        )
    places = codes.astype(np.intp)
    if scale_pos_weight is not None:
        factors = _positive(scale_pos_weight, classes)
    elif class_weight is None:
        return weights
    elif isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(places, weights=weights, minlength=len(classes))
        # A class whose rows all have weight 0 is not there.
        present = totals > 0
        share = totals.sum() / present.sum()
        factors = np.where(present, share / np.where(present, totals, 1), 0)
    elif isinstance(class_weight, Mapping):
        factors = _of_labels(class_weight, classes)
    else:
        raise ValueError(
            "class_weight must be None, 'balanced' or a dict of labels and weights, got "
            f"{class_weight!r}. Use 'balanced' to let all classes count the same."
        )
    by_row = factors[places]
    return np.asarray(by_row if weights is None else weights * by_row, dtype=np.float64)


def _positive(scale: object, classes: npt.NDArray[Any]) -> Vector:
    if not isinstance(scale, numbers.Real) or isinstance(scale, bool):
        raise TypeError(
            f"scale_pos_weight must be None or a finite number > 0, got {scale!r} "
            f"({type(scale).__name__}). Use None to weigh both classes alike."
        )
    if not (math.isfinite(scale) and float(scale) > 0):
        raise ValueError(
            f"scale_pos_weight must be None or a finite number > 0, got {scale!r}. "
            "Use None to weigh both classes alike."
        )
    if len(classes) != 2:
        raise ValueError(
            f"scale_pos_weight={scale!r} is for two classes, got {len(classes)}. "
            "Use class_weight to weigh each of them."
        )
    return np.array([1.0, float(scale)])


def _of_labels(class_weight: Mapping[Any, Any], classes: npt.NDArray[Any]) -> Vector:
    labels = classes.tolist()
    for label, weight in class_weight.items():
        real = isinstance(weight, numbers.Real) and not isinstance(weight, bool)
        if not real or not (math.isfinite(weight) and weight >= 0):
            raise ValueError(
                f"class_weight must hold finite weights >= 0, got {weight!r} for the class "
                f"{label!r}."
            )
    unknown = [label for label in class_weight if label not in labels]
    left_out = [label for label in labels if label not in class_weight]
    # As in scikit-learn: labels that y lacks are fine as long as no class of y is left out.
    if unknown and left_out:
        raise ValueError(
            f"class_weight weighs the class {unknown[0]!r}, which y does not have, and leaves out "
            f"{left_out[0]!r}. The classes are {labels!r}."
        )
    nothing = [label for label in labels if class_weight.get(label, 1.0) == 0]
    if nothing:
        raise ValueError(
            f"class_weight gives the class {nothing[0]!r} weight 0, so nothing could be learned "
            "of it. Give it a small weight, or leave its rows out."
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])
