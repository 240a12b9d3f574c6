"""Class labels to 0, 1, 2 and so on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets

from plboost.ingest import one_column

__all__ = ["check_same_classes", "encode_classes", "encode_known_labels"]


def encode_classes(
    y: object, weights: npt.NDArray[np.float64] | None, *, n_rows: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
    """Find the classes and number the labels.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels.
    weights : ndarray or None
        Row weights; a class that has none but rows of weight 0 is not there.
    n_rows : int
        Number of rows of X.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        The labels in sorted order.
    codes : ndarray of float64, shape (n_rows,)
        The place of each row's label in `classes`; of rows of weight 0 any number.

    Examples
    --------
    >>> encode_classes(["no", "yes", "no"], None, n_rows=3)
    (array(['no', 'yes'], dtype='<U3'), array([0., 1., 0.]))
    """
    labels = _label_vector(y, n_rows, "y")
    check_classification_targets(labels)
    all_classes, codes = np.unique(labels, return_inverse=True)
    codes = codes.reshape(-1)
    present = np.unique(codes if weights is None else codes[weights > 0])
    classes = all_classes[present]
    if len(classes) < 2:
        where = "" if len(all_classes) < 2 else " in the rows of positive weight"
        raise ValueError(
            f"y must hold two classes or more, got only one class{where}: {_shown(classes)}. "
            "Add rows of another class."
        )
    places = np.zeros(len(all_classes))
    places[present] = np.arange(len(present))
    return classes, places[codes]


def encode_known_labels(
    y: object, classes: npt.NDArray[Any], set_name: str
) -> npt.NDArray[np.float64]:
    """Encode the labels of an evaluation set with the classes of the training data.

    Parameters
    ----------
    y : array-like
        Labels.
    classes : ndarray of shape (n_classes,)
        The classes of the training data.
    set_name : str
        How the error messages call the set.

    Returns
    -------
    ndarray of float64
        The place of each row's label in `classes`.

    Examples
    --------
    >>> encode_known_labels(["yes", "maybe"], np.array(["no", "yes"]), "eval_0")
    Traceback (most recent call last):
    ...
    ValueError: y of eval set 'eval_0' has labels that are not in the training data: ['maybe']. ...
    """
    labels = _label_vector(y, None, f"y of eval set {set_name!r}")
    codes = np.full(len(labels), -1.0)
    # Compared one by one: labels of different types have no order.
    for place, label in enumerate(classes):
        codes[labels == label] = place
    unknown = codes < 0
    if unknown.any():
        raise ValueError(
            f"y of eval set {set_name!r} has labels that are not in the training data: "
            f"{_shown(np.unique(labels[unknown]))}. Known classes: {_shown(classes)}."
        )
    return codes


def check_same_classes(classes: npt.NDArray[Any], model: object) -> None:
    """Refuse to continue a model of other classes.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes of the training data.
    model : object
        A fitted classifier, or something without classes of its own.

    Examples
    --------
    >>> check_same_classes(np.array(["no", "yes"]), None)
    """
    known = getattr(model, "classes_", None)
    if known is not None and not np.array_equal(known, classes):
        raise ValueError(
            f"y has the classes {_shown(classes)}, but the model to continue knows "
            f"{_shown(known)}. Pass rows of all its classes and of no others, or train anew."
        )


def _label_vector(y: object, n_rows: int | None, input_name: str) -> npt.NDArray[Any]:
    if y is None:
        raise ValueError(
            f"training requires {input_name} to be passed, but the target {input_name} is None. "
            "Pass one label for each row of X."
        )
    labels = one_column(y, input_name=input_name)
    if n_rows is not None and len(labels) != n_rows:
        raise ValueError(
            f"{input_name} has {len(labels)} values, but X has {n_rows} rows. "
            "Pass one label for each row."
        )
    missing = _missing(labels)
    if missing.any():
        raise ValueError(
            f"Input {input_name} contains NaN, infinity or None in {int(missing.sum())} of "
            f"{len(labels)} rows, first in row {int(np.argmax(missing))}. Drop these rows."
        )
    return labels


def _missing(labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if labels.dtype.kind == "f":
        return np.asarray(~np.isfinite(labels))
    if labels.dtype.kind == "O":
        return np.array([_is_missing(label) for label in labels], dtype=bool)
    return np.zeros(len(labels), dtype=bool)


def _is_missing(label: Any) -> bool:
    """Recognise None, NaN, and pandas' NA and NaT: none of them certainly equals itself."""
    try:
        return label is None or not bool(label == label)
    except TypeError:
        return True


def _shown(classes: npt.NDArray[Any]) -> str:
    shown = ", ".join(repr(label) for label in classes[:10].tolist())
    return f"[{shown}{', ...' if len(classes) > 10 else ''}]"
