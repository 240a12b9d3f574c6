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
    """

    X: Any
    y: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64] | None
    init_score: npt.NDArray[np.float64] | None

    @classmethod
    def of(cls, X: Any, y: object, sample_weight: object, init_score: object) -> TrainingData:
        """Check what belongs to the rows of X.

        Parameters
        ----------
        X : ndarray
            Checked features.
        y, sample_weight, init_score : object
            What the user gave.

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
        )

    def split(
        self, *, fraction: float, how: str, seed: int, has_classes: bool
    ) -> tuple[TrainingData, TrainingData]:
        """Hold rows back.

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
        held_back = held_back_rows(
            np.full(len(self.X), True) if self.weight is None else self.weight > 0,
            fraction=fraction,
            split=how,
            seed=seed,
            classes=self.y if has_classes else None,
        )
        return self._rows(~held_back), self._rows(held_back)

    def _rows(self, rows: npt.NDArray[np.bool_]) -> TrainingData:
        weight = None if self.weight is None else self.weight[rows]
        init_score = None if self.init_score is None else self.init_score[rows]
        X = _safe_indexing(self.X, np.flatnonzero(rows))
        return TrainingData(X, self.y[rows], weight, init_score)
