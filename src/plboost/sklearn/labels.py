"""Class labels to 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets

from plboost.ingest import one_column

__all__ = ["encode_known_labels", "encode_two_classes"]


def encode_two_classes(
    y: object, weights: npt.NDArray[np.float64] | None, *, n_rows: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
    """Find the two classes and encode the labels.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels.
    weights : ndarray or None
        Row weights; rows of weight 0 do not count.
    n_rows : int
        Number of rows of X.

    Returns
    -------
    classes : ndarray of shape (2,)
        The labels in sorted order.
    codes : ndarray of float64, shape (n_rows,)
        0 or 1 for each row.

    Examples
    --------
    >>> encode_two_classes(["no", "yes", "no"], None, n_rows=3)
    (array(['no', 'yes'], dtype='<U3'), array([0., 1., 0.]))
    """
    labels = _label_vector(y, n_rows, "y")
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) > 2:
        # The first sentence is the one that scikit-learn's estimator checks look for.
        raise ValueError(
            "Only binary classification is supported. log_loss here is binary: got "
            f"{len(classes)} classes {_shown(classes)}; join classes until two are left, or wrap "
            "the estimator in sklearn.multiclass.OneVsRestClassifier."
        )
    counted = codes if weights is None else codes[weights > 0]
    present = classes[np.unique(counted)]
    if len(present) < 2:
        where = "" if len(classes) < 2 else " in the rows of positive weight"
        raise ValueError(
            f"y must hold two classes, got only one class{where}: {_shown(present)}. "
            "Add rows of the other class."
        )
    return classes, codes.reshape(-1).astype(np.float64)


def encode_known_labels(
    y: object, classes: npt.NDArray[Any], set_name: str
) -> npt.NDArray[np.float64]:
    """Encode the labels of an evaluation set with the classes of the training data.

    Parameters
    ----------
    y : array-like
        Labels.
    classes : ndarray of shape (2,)
        The classes of the training data.
    set_name : str
        How the error messages call the set.

    Returns
    -------
    ndarray of float64
        0 or 1 for each row.

    Examples
    --------
    >>> encode_known_labels(["yes", "maybe"], np.array(["no", "yes"]), "eval_0")
    Traceback (most recent call last):
    ...
    ValueError: y of eval set 'eval_0' has labels that are not in the training data: ['maybe']. ...
    """
    labels = _label_vector(y, None, f"y of eval set {set_name!r}")
    second = labels == classes[1]
    unknown = ~(second | (labels == classes[0]))
    if unknown.any():
        raise ValueError(
            f"y of eval set {set_name!r} has labels that are not in the training data: "
            f"{_shown(np.unique(labels[unknown]))}. Known classes: {_shown(classes)}."
        )
    return np.asarray(second, dtype=np.float64)


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
