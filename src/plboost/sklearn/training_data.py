"""What an estimator was given to train on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from plboost.ingest import score_array, target_array, weight_vector
from plboost.sklearn.holdout import held_back_rows

__all__ = ["TrainingData"]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Checked rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The features; as the user gave them where some are categorical.
    y : ndarray of float64
        Targets, or numbers of classes.
    weight : ndarray of float64 or None
        Weights of the rows.
    init_score : ndarray of float64 or None
        Scores at which training starts.
    query_sizes : ndarray of int64 or None
        Numbers of rows of consecutive queries.
    """

    X: Any
    y: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64] | None
    init_score: npt.NDArray[np.float64] | None
    query_sizes: npt.NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        y: object,
        sample_weight: object,
        init_score: object,
        query_sizes: npt.NDArray[np.int64] | None = None,
    ) -> TrainingData:
        """Check what belongs to the rows of X.

        Parameters
        ----------
        X : ndarray
            Checked features.
        y, sample_weight, init_score : object
            What the user gave.
        query_sizes : ndarray of int64 or None
            Checked sizes of the queries.

        Returns
        -------
        TrainingData
            All of as many rows.
        """
        n_rows = len(X)
        return cls(
            X,
            target_array(y, n_rows=n_rows),
            weight_vector(sample_weight, n_rows=n_rows),
            score_array(init_score, n_rows=n_rows),
            query_sizes,
        )

    def split(
        self, *, fraction: float, how: str, seed: int, has_classes: bool
    ) -> tuple[TrainingData, TrainingData]:
        """Hold rows back: of rows in queries, whole queries.

        Parameters
        ----------
        fraction : float
            Part of the rows to hold back.
        how : {"random", "time"}
            At random, or the last rows.
        seed : int
            Of the random choice.
        has_classes : bool
            Whether y holds classes, of each of which the same part is to be held back.

        Returns
        -------
        rest, held_back : TrainingData
            The rows to train on, and those to validate on.
        """
        counted = np.full(len(self.X), True) if self.weight is None else self.weight > 0
        sizes = self.query_sizes
        if sizes is not None:
            counted = np.logical_or.reduceat(counted, np.cumsum(sizes) - sizes)
        held_back = held_back_rows(
            counted,
            fraction=fraction,
            split=how,
            seed=seed,
            classes=self.y if has_classes else None,
        )
        return self._part(~held_back), self._part(held_back)

    def parts(self) -> tuple[Any, ...]:
        """Return an evaluation set as :func:`plboost.train` takes it."""
        return (self.X, self.y, self.weight, self.init_score, self.query_sizes)

    def _part(self, chosen: npt.NDArray[np.bool_]) -> TrainingData:
        """Return the chosen rows, or all rows of the chosen queries."""
        sizes = self.query_sizes
        rows = chosen if sizes is None else np.repeat(chosen, sizes)
        weight = None if self.weight is None else self.weight[rows]
        init_score = None if self.init_score is None else self.init_score[rows]
        X = _safe_indexing(self.X, np.flatnonzero(rows))
        return TrainingData(
            X, self.y[rows], weight, init_score, None if sizes is None else sizes[chosen]
        )
