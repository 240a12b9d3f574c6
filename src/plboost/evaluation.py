"""Evaluation sets: data to measure a model on after every round."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost import _core
from plboost.dataset import Dataset
from plboost.ingest import query_sizes, score_array, target_array, weight_vector

__all__ = ["EvaluationSet", "evaluation_sets"]


@dataclass(frozen=True, eq=False)
class EvaluationSet:
    """Checked data of one set."""

    X: npt.NDArray[Any]
    y: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64] | None
    init_score: npt.NDArray[np.float64] | None
    query_sizes: npt.NDArray[np.int64] | None = None

    def to_core(self) -> _core.EvaluationSet:
        """Return what the core reads; it holds several columns one after another."""
        init_score = None if self.init_score is None else self.init_score.ravel(order="F")
        return _core.EvaluationSet(
            self.X, self.y.ravel(order="F"), self.weight, init_score, self.query_sizes
        )

    def fingerprint(self) -> str:
        """Return a text that tells the content from others."""
        digest = hashlib.sha256()
        for array in (self.X, self.y, self.weight, self.init_score, self.query_sizes):
            if array is None:
                digest.update(b"None")
            else:
                digest.update(f"{array.dtype.str}{array.shape}".encode())
                digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()


def evaluation_sets(
    eval_sets: Mapping[str, Sequence[Any]] | None, dataset: Dataset
) -> dict[str, EvaluationSet]:
    """Check the evaluation sets of :func:`plboost.train`.

    Parameters
    ----------
    eval_sets : mapping of str to sequence, or None
        ``(X, y)``, ``(X, y, sample_weight)``, ``(X, y, sample_weight, init_score)`` or
        ``(X, y, sample_weight, init_score, group)`` by name.
    dataset : Dataset
        The training data, whose features and targets they must match.

    Returns
    -------
    dict of str to EvaluationSet
        In the same order.
    """
    if eval_sets is None:
        return {}
    if not isinstance(eval_sets, Mapping):
        raise TypeError(
            "eval_sets must be a dict of names and (X, y) or (X, y, sample_weight), got "
            f"{type(eval_sets).__name__}. Pass {{'valid': (X, y)}}."
        )
    return {name: _evaluation_set(name, parts, dataset) for name, parts in eval_sets.items()}


def _evaluation_set(name: object, parts: object, dataset: Dataset) -> EvaluationSet:
    if not isinstance(name, str):
        raise TypeError(
            f"the names of eval_sets must be strings, got {name!r} ({type(name).__name__})."
        )
    if not isinstance(parts, (tuple, list)) or len(parts) not in (2, 3, 4, 5):
        raise ValueError(
            f"eval_sets[{name!r}] must be (X, y) or (X, y, sample_weight) or "
            f"(X, y, sample_weight, init_score[, group]), got {type(parts).__name__}"
            + (f" of length {len(parts)}." if isinstance(parts, (tuple, list)) else ".")
            + " Pass a tuple of two to five arrays."
        )
    X, y, weight, init_score, group = (*parts, None, None, None)[:5]
    matrix = dataset._categories.matrix(
        X,
        n_features=dataset.n_features,
        feature_names=dataset.feature_names,
        input_name=f"X of eval set {name!r}",
    )
    targets = target_array(y, n_rows=len(matrix), input_name=f"y of eval set {name!r}")
    if targets.shape[1:] != dataset.target_shape:
        raise ValueError(
            f"y of eval set {name!r} has the shape {targets.shape}, but y of the training data "
            f"has {_columns(dataset.target_shape)}. Pass as many columns."
        )
    _check_group(name, group, dataset)
    return EvaluationSet(
        matrix,
        targets,
        weight_vector(weight, n_rows=len(matrix), input_name=f"sample_weight of eval set {name!r}"),
        score_array(init_score, n_rows=len(matrix), input_name=f"init_score of eval set {name!r}"),
        query_sizes(group, n_rows=len(matrix), input_name=f"group of eval set {name!r}"),
    )


def _check_group(name: str, group: object, dataset: Dataset) -> None:
    if dataset.n_queries and group is None:
        raise ValueError(
            f"eval set {name!r} must have queries, as the training data has. "
            "Pass (X, y, sample_weight, init_score, group); weight and score may be None."
        )
    if group is not None and not dataset.n_queries:
        raise ValueError(
            f"eval set {name!r} has queries, but the training data has none. "
            "Pass group to the Dataset too, or leave it out here."
        )


def _columns(shape: tuple[int, ...]) -> str:
    return "one dimension" if not shape else f"{shape[0]} columns"
