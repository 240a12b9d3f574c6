"""Prediction intervals of a regressor."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from plboost.callbacks import Callback, EarlyStopping
from plboost.intervals import LEVELS, Intervals
from plboost.sklearn.base import PLBoostBase
from plboost.sklearn.training_data import TrainingData
from plboost.training import train

__all__ = ["IntervalRegressor"]

# A thousand rows then leave two hundred: enough for a coverage of 0.99, and the quantiles are
# trained on most of the rows.
_CALIBRATION_FRACTION = 0.2

# What targets can be. Intervals that end there hold as many of them.
_TARGET_LIMITS: dict[str, tuple[float, float]] = {
    "poisson": (0.0, np.inf),
    "gamma": (0.0, np.inf),
    "tweedie": (0.0, np.inf),
    "cross_entropy": (0.0, 1.0),
    "log_loss": (0.0, 1.0),
}


class IntervalRegressor(PLBoostBase):
    """What a regressor adds to its model when it is asked for intervals."""

    loss: Any
    alpha: Any
    intervals: bool
    intervals_: Intervals | None

    def predict_interval(self, X: object, coverage: float = 0.9) -> npt.NDArray[np.float64]:
        """Predict an interval for each row that holds its target with a given probability.

        Whatever the noise and however bad the model, intervals of new rows that are drawn as the
        training rows were hold, on average, at least a part `coverage` of the targets. They are
        wide where targets scatter, and those of a coverage lie within those of a larger one.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.
        coverage : float, default=0.9
            The probability, between 0 and 1. A model of n rows can promise up to n / (n + 5).

        Returns
        -------
        ndarray of shape (n_samples, 2)
            The lower and the upper ends.

        Raises
        ------
        ValueError
            Without ``intervals=True``, or with too few rows for the coverage.
        """
        matrix = self._features(X)
        if self.intervals_ is None:
            raise ValueError(
                "predict_interval() needs a model that was fitted with intervals=True, got "
                "intervals=False. Fit again with PLBoostRegressor(intervals=True)."
            )
        return self.intervals_.predict(matrix, coverage=coverage, n_jobs=self.n_jobs)

    def _interval_data(
        self,
        X: object,
        y: object,
        sample_weight: object,
        *,
        init_score: object,
        init_model: object,
    ) -> TrainingData:
        """Return the rows, or raise for what has no interval, naming both."""
        if self.loss == "quantile" and not isinstance(self.alpha, (numbers.Real, type(None))):
            raise ValueError(
                f"intervals=True predicts one value and one interval, got alpha={self.alpha!r} for "
                "several values. Set one alpha, or intervals=False and take the quantiles."
            )
        for name, value in (("init_score", init_score), ("init_model", init_model)):
            if value is not None:
                raise ValueError(
                    f"intervals=True trains quantiles from the start, which {name} cannot be the "
                    f"start of: its scores are those of another loss. Leave {name} out, or set "
                    "intervals=False."
                )
        data = TrainingData.of(X, y, sample_weight, None)
        if data.y.ndim == 2:
            raise ValueError(
                f"intervals=True needs y of one column, got {data.y.shape[1]}. Train one model for "
                "each column, or set intervals=False."
            )
        n_rows = len(data.y) if data.weight is None else np.count_nonzero(data.weight)
        if n_rows < 2:
            raise ValueError(
                f"intervals=True needs rows to train and rows to calibrate, got n_samples={n_rows} "
                "of a weight above 0. Pass more rows, or set intervals=False."
            )
        return data

    def _calibrated(self, data: TrainingData) -> Intervals:
        """Train the quantiles on most of the rows and calibrate them on the others."""
        rest, held_back = data.split(
            fraction=_CALIBRATION_FRACTION,
            how=self.validation_split,
            seed=self._seed,
            has_classes=False,
        )
        eval_sets: dict[str, tuple[Any, ...]] = {}
        callbacks: list[Callback] = []
        if self.early_stopping:
            rest, eval_sets = self._validated(rest, self._seed)
            callbacks = [EarlyStopping(self.n_iter_no_change, tol=self.tol)]
        quantiles = {"loss": "quantile", "alpha": LEVELS, "power": None}
        booster = train(
            self._training_parameters() | quantiles,
            self._dataset(rest, self._seed, None),
            eval_sets=eval_sets,
            callbacks=callbacks,
            verbose=self.verbose,
            n_jobs=self.n_jobs,
        )
        # A function has no such limits, and need not be a key either.
        loss = self.loss if isinstance(self.loss, str) else ""
        return Intervals.calibrated(
            booster,
            held_back.X,
            held_back.y,
            held_back.weight,
            trained_on=rest.X,
            limits=_TARGET_LIMITS.get(loss, (-np.inf, np.inf)),
            n_jobs=self.n_jobs,
        )
